import type { Logger } from '#kernel/ports/logger';
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
  readonly logger: Logger;
  readonly aiOf: (settings: AiSettings) => AiAccess | undefined;
}

/** The services of a model, for one generation of requests. */
export function createAgentState(
  model: CompiledModel,
  { authoriser, approvals, prefix, logger, aiOf }: StateServices,
): AgentState {
  const recordService = createRecordService(
    model,
    authoriser,
    (message, error) => logger.log('Error', message, { error }),
    (message) => logger.log('Warn', message),
  );
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
