import { createActionService } from '../../actions/action-service.ts';
import type { AiSettings } from '../../ai/ai-settings.ts';
import { createChartService } from '../../charts/chart-service.ts';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { SignedApprovals } from '../../permissions/signed-approvals.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import type { AgentState } from '../../surfaces/request/agent-state.ts';
import type { AiAccess } from '../../surfaces/request/ai-access.ts';

/**
 * The services of a model, for one generation of requests.
 *
 * @param report Logs failures after a write was committed.
 */
export function createAgentState(
  model: CompiledModel,
  authoriser: Authoriser,
  approvals: SignedApprovals,
  report: (message: string, error: unknown) => void,
  aiOf: (settings: AiSettings) => AiAccess | undefined,
): AgentState {
  const recordService = createRecordService(model, authoriser, report);
  return {
    model,
    recordService,
    actions: createActionService(model, recordService, authoriser, approvals),
    charts: createChartService(model, recordService, authoriser),
    authoriser,
    ai: model.ai && aiOf(model.ai),
  };
}
