import type { Adapter, AdapterPayload } from 'oidc-provider';
import { type KeptMcpState, type McpState, type McpStateKind, mcpStateKinds } from '#contracts/mcp-authorization';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { McpStateClient } from '#platform-client/index';
import { askPlatform } from './ask-platform.ts';

const daySeconds = 24 * 3600;
/** What has no end of its own lasts so long: clients that nobody lets in. */
const longestSeconds = 90 * daySeconds;
/** A refresh token may come twice within this time: two requests of one client at once, or one whose answer was lost. */
const graceMs = 10_000;

/** Nothing is kept of a kind that the platform does not know, such as sessions: every authorization asks the person again. */
const keepNothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** What the library keeps one kind of thing with: the platform, which gets the SHA-256 of ids. */
export function createStateAdapter(state: McpStateClient, clock: Clock): (kind: string) => Adapter {
  return (name) => {
    const kind = mcpStateKinds.find((known) => known === name);
    if (kind === undefined) return keepNothing;
    const keyOf = (id: string) => ({ kind, id: sha256Hex(id) });
    return {
      ...keepNothing,
      upsert: (id, payload, expiresIn) => askPlatform(() => state.save(keyOf(id), stateOf(payload, expiresIn))),
      find: async (id) => {
        // An address is the id of a client that is not registered.
        if (kind === 'Client' && !/^[\w-]{1,64}$/.test(id)) return undefined;
        // A code is used up by whoever shows it, even where the rest of the request is wrong.
        const kept = await askPlatform(() =>
          kind === 'AuthorizationCode' ? state.use(keyOf(id)) : state.find(keyOf(id)),
        );
        return kept && payloadOf(kind, id, kept, clock);
      },
      consume: async (id) => {
        if (kind === 'RefreshToken') await askPlatform(() => state.use(keyOf(id)));
      },
      // The end of a grant is the end of all that came of it.
      destroy: (id) => askPlatform(() => state.remove(keyOf(id))),
    };
  };
}

function stateOf({ jti: _id, ...payload }: AdapterPayload, expiresIn: number | undefined): McpState {
  const { accountId, clientId, grantId } = payload;
  return {
    payload,
    expiresInSeconds: Math.max(1, Math.floor(expiresIn || longestSeconds)),
    ...(accountId === undefined ? {} : { personId: Number(accountId) }),
    ...(clientId === undefined ? {} : { clientId: sha256Hex(clientId) }),
    ...(grantId === undefined ? {} : { grantId: sha256Hex(grantId) }),
  };
}

function payloadOf(kind: McpStateKind, id: string, { payload, usedMsAgo }: KeptMcpState, clock: Clock): AdapterPayload {
  if (kind === 'Client') return payload;
  const isUsed = usedMsAgo !== undefined && (kind !== 'RefreshToken' || usedMsAgo > graceMs);
  return { ...payload, jti: id, ...(isUsed ? { consumed: Math.floor((clock.now() - usedMsAgo) / 1000) } : {}) };
}
