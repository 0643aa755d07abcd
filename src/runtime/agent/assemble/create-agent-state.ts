import { createActionService } from '../../actions/action-service.ts';
import type { AiSettings } from '../../ai/ai-settings.ts';
import { createChartService } from '../../charts/chart-service.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { SignedApprovals } from '../../permissions/signed-approvals.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import { createVisibleSchemas } from '../../schema/visible-schemas.ts';
import type { AgentState } from '../../surfaces/request/agent-state.ts';
import type { AiAccess } from '../../surfaces/request/ai-access.ts';

interface StateServices {
  readonly authoriser: Authoriser;
  readonly approvals: SignedApprovals;
  /** Path that the routes are below. */
  readonly prefix: string;
  /** Logs failures after a write was committed. */
  readonly report: (message: string, error: unknown) => void;
  readonly aiOf: (settings: AiSettings) => AiAccess | undefined;
}

/** The services of a model, for one generation of requests. */
export function createAgentState(
  model: CompiledModel,
  { authoriser, approvals, prefix, report, aiOf }: StateServices,
): AgentState {
  const recordService = createRecordService(model, authoriser, report);
  return {
    model,
    recordService,
    actions: createActionService(model, recordService, authoriser, approvals),
    charts: createChartService(model, recordService, authoriser),
    authoriser,
    schemas: createVisibleSchemas(model, authoriser, prefix),
    ai: model.ai && aiOf(model.ai),
  };
}
