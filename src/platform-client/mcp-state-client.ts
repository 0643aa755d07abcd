import type { ClientRights } from '#contracts/client-rights';
import { type KeptMcpState, keptMcpStateSchema, type McpState, type McpStateKey } from '#contracts/mcp-authorization';
import { orAbsent, type PlatformTransport } from './platform-transport.ts';

/** What the authorization server of the MCP server keeps at the platform: `#contracts/mcp-authorization`. */
export interface McpStateClient {
  /** In place of what was there. */
  save(key: McpStateKey, state: McpState): Promise<void>;
  find(key: McpStateKey): Promise<KeptMcpState | undefined>;
  /** The same, marked as used. Of several uses at once, one alone is the first. */
  use(key: McpStateKey): Promise<KeptMcpState | undefined>;
  /** Keep what a person has chosen for a grant, by the SHA-256 of its id. */
  setGrantRights(grantId: string, rights: ClientRights): Promise<void>;
  /** The end of a grant is the end of all that came of it. */
  remove(key: McpStateKey): Promise<void>;
}

export function createMcpStateClient(transport: PlatformTransport): McpStateClient {
  const to = ({ kind, id }: McpStateKey) =>
    ({ credential: 'envSecret', isRepeatable: true, path: `agent/v1/mcp/state/${kind}/${id}` }) as const;
  return {
    save: async (key, state) => {
      await transport.send({ ...to(key), method: 'PUT', json: state });
    },
    find: (key) => orAbsent(transport.fetchJson({ ...to(key), method: 'GET' }, keptMcpStateSchema)),
    use: (key) => {
      const { path, ...call } = to(key);
      // A use that is sent again would no longer be the first.
      const once = { ...call, path: `${path}/uses`, method: 'POST', isRepeatable: false } as const;
      return orAbsent(transport.fetchJson(once, keptMcpStateSchema));
    },
    setGrantRights: async (grantId, rights) => {
      const path = `agent/v1/mcp/grants/${grantId}/rights`;
      await transport.send({ credential: 'envSecret', isRepeatable: true, path, method: 'PUT', json: { rights } });
    },
    remove: async (key) => {
      await transport.send({ ...to(key), method: 'DELETE' });
    },
  };
}
