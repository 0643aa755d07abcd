import type { Logger } from '#kernel/ports/logger';
import { createActionService } from '../../actions/action-service.ts';
import type { AiSettings } from '../../ai/ai-settings.ts';
import { createChartService } from '../../charts/chart-service.ts';
import { fittingDashboards } from '../../charts/check-dashboards.ts';
import { measuredServices } from '../../insights/measured-services.ts';
import type { QueryRecorder } from '../../insights/query-recorder.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import { ruleProblems } from '../../model/field-access.ts';
import { modelForRole } from '../../model/model-for-role.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { FieldRules } from '../../permissions/field-rules.ts';
import type { SignedApprovals } from '../../permissions/signed-approvals.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import { createVisibleSchemas } from '../../schema/visible-schemas.ts';
import type { AgentState } from '../../surfaces/request/agent-state.ts';
import type { AiAccess } from '../../surfaces/request/ai-access.ts';

interface StateServices {
  readonly authoriser: Authoriser;
  /** Of programs that act for people. */
  readonly programAuthoriser: Authoriser;
  readonly approvals: SignedApprovals;
  /** Path that the routes are below. */
  readonly prefix: string;
  /** Gets failures after a write was committed, and what is wrong with rights or patterns. */
  readonly logger: Logger;
  readonly aiOf: (settings: AiSettings) => AiAccess | undefined;
  /** Measures what surfaces ask for. */
  readonly recorder: QueryRecorder;
}

/** How many sets of rules are kept with their plans. Most projects have fewer roles. */
const maxRoles = 50;

/**
 * The services of a model, for one generation of requests. Programs, and roles that are restricted on fields, get services of their own,
 * made when somebody first needs them. All other people share one state.
 */
export function createAgentState(model: CompiledModel, services: StateServices): AgentState {
  const ai = model.ai && services.aiOf(model.ai);
  const report = (message: string, error: unknown) => services.logger.log('Error', message, { error });
  const warn = (message: string) => services.logger.log('Warn', message);

  let programs: AgentState | undefined;
  const forPrograms = (): AgentState => {
    programs ??= stateUnder(services.programAuthoriser);
    return programs;
  };

  /** The state of everybody that an authoriser knows, with those that rules for fields make of it. */
  function stateUnder(whole: Authoriser): AgentState {
    const ofRoles = createPlanCache<AgentState>(maxRoles);
    const under = (rules: FieldRules): AgentState =>
      ofRoles.memo(rules.key, {
        context: () => {
          for (const problem of ruleProblems(model, rules)) warn(problem);
          const own = modelForRole(model, rules);
          return stateOf({ ...own, dashboards: fittingDashboards(own) }, whole.forRules(rules), under);
        },
      });
    return stateOf(model, whole, under);
  }

  function stateOf(own: CompiledModel, authoriser: Authoriser, under: AgentState['under']): AgentState {
    const recordService = createRecordService(own, authoriser, report, warn);
    const actions = createActionService(own, recordService, authoriser, services.approvals, warn);
    const charts = createChartService(own, recordService, authoriser);
    return {
      model: own,
      ...measuredServices({ recordService, actions, charts }, services.recorder),
      authoriser,
      schemas: createVisibleSchemas(own, authoriser, services.prefix),
      ai,
      under,
      forPrograms,
    };
  }

  return stateUnder(services.authoriser);
}
