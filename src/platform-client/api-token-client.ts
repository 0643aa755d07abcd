import type * as z from 'zod';
import {
  type ApiTokenList,
  apiTokenListSchema,
  type createApiTokenSchema,
  type NewApiToken,
  newApiTokenSchema,
} from '#contracts/api-tokens';
import type { createPlatformTransport } from './platform-transport.ts';

/** The API tokens of a project, which administrators manage. `project` is a name. */
export interface ApiTokenClient {
  listApiTokens(project: string): Promise<ApiTokenList>;
  /** Tried once: the answer alone has the secret. */
  createApiToken(project: string, input: z.input<typeof createApiTokenSchema>): Promise<NewApiToken>;
  /** Tried once, as well. */
  rotateApiToken(project: string, id: number, overlapSeconds: number | undefined): Promise<NewApiToken>;
  revokeApiToken(project: string, id: number): Promise<void>;
}

export function createApiTokenClient(transport: ReturnType<typeof createPlatformTransport>): ApiTokenClient {
  const post = { method: 'POST', credential: 'userToken', isRepeatable: false } as const;
  const pathOf = (project: string) => `api/projects/${encodeURIComponent(project)}/tokens`;
  return {
    listApiTokens: (project) =>
      transport.fetchJson(
        { method: 'GET', path: pathOf(project), credential: 'userToken', isRepeatable: true },
        apiTokenListSchema,
      ),
    createApiToken: (project, input) =>
      transport.fetchJson({ ...post, path: pathOf(project), json: input }, newApiTokenSchema),
    rotateApiToken: (project, id, overlapSeconds) =>
      transport.fetchJson(
        { ...post, path: `${pathOf(project)}/${id}/rotate`, json: { overlapSeconds } },
        newApiTokenSchema,
      ),
    revokeApiToken: async (project, id) => {
      await transport.send({
        method: 'DELETE',
        path: `${pathOf(project)}/${id}`,
        credential: 'userToken',
        isRepeatable: true,
      });
    },
  };
}
