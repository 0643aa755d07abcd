import { type GroupList, groupListSchema, type MapGroup } from '#contracts/groups';
import {
  type CreateScimToken,
  type NewScimToken,
  newScimTokenSchema,
  type ScimToken,
  scimTokenListSchema,
} from '#contracts/scim-tokens';
import { type FactorList, factorListSchema } from '#contracts/second-factor';
import type { createPlatformTransport } from './platform-transport.ts';

/** What people sign in with beside a password, and what the company says of them: groups, and tokens for SCIM. */
export interface ProvisioningClient {
  /** Remove all second factors of somebody else, and end everything that they are signed in with. */
  resetFactors(id: number): Promise<void>;
  /** The second factors of the person of the token. */
  factors(): Promise<FactorList>;
  renameFactor(id: number, name: string): Promise<FactorList>;
  /** Refused later than ten minutes after the sign-in. */
  removeFactor(id: number): Promise<void>;
  groups(): Promise<GroupList>;
  mapGroup(group: string, given: MapGroup): Promise<GroupList>;
  unmapGroup(group: string): Promise<void>;
  /** The newest first. */
  scimTokens(): Promise<readonly ScimToken[]>;
  /** Tried once: the answer alone has the token. */
  createScimToken(input: CreateScimToken): Promise<NewScimToken>;
  revokeScimToken(id: number): Promise<void>;
}

export function createProvisioningClient(transport: ReturnType<typeof createPlatformTransport>): ProvisioningClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'userToken', isRepeatable: false } as const;
  const remove = { method: 'DELETE', credential: 'userToken', isRepeatable: false } as const;
  const groupPath = (group: string) => `api/groups/${encodeURIComponent(group)}`;
  return {
    resetFactors: async (id) => {
      await transport.send({ ...remove, path: `api/people/${id}/factors` });
    },
    factors: () => transport.fetchJson({ ...get, path: 'api/me/factors' }, factorListSchema),
    renameFactor: (id, name) =>
      transport.fetchJson({ ...post, method: 'PATCH', path: `api/me/factors/${id}`, json: { name } }, factorListSchema),
    removeFactor: async (id) => {
      await transport.send({ ...remove, path: `api/me/factors/${id}` });
    },
    groups: () => transport.fetchJson({ ...get, path: 'api/groups' }, groupListSchema),
    mapGroup: (group, given) =>
      transport.fetchJson({ ...post, method: 'PUT', path: groupPath(group), json: given }, groupListSchema),
    unmapGroup: async (group) => {
      await transport.send({ ...remove, path: groupPath(group) });
    },
    scimTokens: async () =>
      (await transport.fetchJson({ ...get, path: 'api/scim-tokens' }, scimTokenListSchema)).tokens,
    createScimToken: (input) =>
      transport.fetchJson({ ...post, path: 'api/scim-tokens', json: input }, newScimTokenSchema),
    revokeScimToken: async (id) => {
      await transport.send({ ...remove, path: `api/scim-tokens/${id}` });
    },
  };
}
