import type { PermissionFile } from '#contracts/permission-file';
import {
  type AgentList,
  agentListSchema,
  type CheckedRights,
  checkedRightsSchema,
  type ReplaceRights,
  type Rights,
  type RightsHistory,
  rightsHistorySchema,
  rightsSchema,
} from '#contracts/rights';
import type { createPlatformTransport } from './platform-transport.ts';

/** The rights of an environment, and the agents that go by them. */
export interface RightsClient {
  /** Who may do what in the environment. */
  rights(): Promise<Rights>;
  /**
   * Rejects with `REQUEST_CONFLICT` when another revision than the base counts, `ADMINISTRATORS_LOCKED_OUT` or
   * `PERMISSION_FILE_INVALID`.
   */
  replaceRights(input: ReplaceRights): Promise<Rights>;
  /** Whom the rights would leave without any. Nothing changes. */
  checkRights(document: PermissionFile | null): Promise<CheckedRights>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  rightsHistory(page?: { readonly limit?: number; readonly before?: number }): Promise<RightsHistory>;
  /** The agents that listen, and which changes they know of. */
  agents(): Promise<AgentList>;
}

export function createRightsClient(transport: ReturnType<typeof createPlatformTransport>): RightsClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  return {
    rights: () => transport.fetchJson({ ...get, path: 'api/rights' }, rightsSchema),
    replaceRights: (input) =>
      transport.fetchJson(
        { method: 'PUT', path: 'api/rights', credential: 'userToken', isRepeatable: false, json: input },
        rightsSchema,
      ),
    checkRights: (document) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/rights/check', credential: 'userToken', isRepeatable: true, json: { document } },
        checkedRightsSchema,
      ),
    rightsHistory: ({ limit = 20, before } = {}) =>
      transport.fetchJson(
        { ...get, path: `api/rights/history?limit=${limit}${before === undefined ? '' : `&before=${before}`}` },
        rightsHistorySchema,
      ),
    agents: () => transport.fetchJson({ ...get, path: 'api/agents' }, agentListSchema),
  };
}
