import { type Caller, callerSchema } from '#contracts/public-api/caller';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { PublicApi } from './public-api.ts';

/** `GET /v1/caller`: a client that has a token alone learns here where it may look. */
export function addCallerRoute(api: PublicApi, identity: Pick<IdentityRepository, 'listEnvironments'>): void {
  api.add({
    method: 'GET',
    path: '/caller',
    scope: undefined,
    handle: async ({ caller }): Promise<Caller> => {
      const environments = await identity.listEnvironments(caller.project.id);
      const development = environments.find(({ type }) => type === 'development') ?? environments[0];
      return callerSchema.parse({
        object: 'caller',
        project: caller.project.name,
        environments: environments.map(({ name }) => name),
        environment: development?.name ?? null,
        scopes: [...caller.scopes],
      });
    },
  });
}
