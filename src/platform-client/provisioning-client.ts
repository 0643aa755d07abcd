import { type FactorList, factorListSchema } from '#contracts/second-factor';
import type { createPlatformTransport } from './platform-transport.ts';

/** What people sign in with beside a password. */
export interface ProvisioningClient {
  /** Remove all second factors of somebody else, and end everything that they are signed in with. */
  resetFactors(id: number): Promise<void>;
  /** The second factors of the person of the token. */
  factors(): Promise<FactorList>;
  renameFactor(id: number, name: string): Promise<FactorList>;
  /** Refused later than ten minutes after the sign-in. */
  removeFactor(id: number): Promise<void>;
}

export function createProvisioningClient(transport: ReturnType<typeof createPlatformTransport>): ProvisioningClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'userToken', isRepeatable: false } as const;
  const remove = { method: 'DELETE', credential: 'userToken', isRepeatable: false } as const;
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
  };
}
