import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Clock } from '#kernel/ports/clock';
import type { CompiledModel } from '../../model/compiled-model.ts';
import type { ExplainedPermissions } from '../../permissions/explained-permissions.ts';
import { createPermissionDocuments } from '../../permissions/permission-documents.ts';
import type { PermissionSource } from '../../permissions/permission-source.ts';
import type { ExplainedQuery } from '../../records/request/explained-query.ts';
import type { AgentStateHolder } from '../../surfaces/request/agent-state.ts';
import { explainPermissions, type PermissionQuestion } from './explain-permissions.ts';
import { explainRequest } from './explain-request.ts';

/** Explains how the agent would answer, with the model that it has. */
export interface AgentExplainer {
  /** How the list request `GET /<collection>?<query>` would be carried out, without any restriction by rights. */
  request(asker: AgentTokenClaims, collection: string, query: string): Promise<ExplainedQuery>;
  /** The rights of a user on a collection, as the platform says now. Rejects with `PLATFORM_…` while it is away. */
  permissions(question: PermissionQuestion): Promise<ExplainedPermissions>;
}

export function createAgentExplainer(
  states: AgentStateHolder,
  platform: PermissionSource,
  clock: Clock,
): AgentExplainer {
  const withModel = async <Result>(work: (model: CompiledModel) => Promise<Result>): Promise<Result> => {
    const inUse = states.acquire();
    if (!inUse) throw new TypeError('An agent without a model was asked to explain.');
    try {
      return await work(inUse.state.model);
    } finally {
      inUse.release();
    }
  };
  return {
    request: (asker, collection, query) => withModel((model) => explainRequest(model, asker, collection, query)),
    permissions: (question) =>
      // Documents of its own: neither an older answer nor a last known one is what the platform says now.
      withModel((model) => explainPermissions(model, createPermissionDocuments(platform, clock).fresh, question)),
  };
}
