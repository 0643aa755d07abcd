import { followAdminLog } from './read-admin-log.ts';
import { startTeamPlatform, type TeamPlatform } from './team-platform.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type Json = Readonly<Record<string, unknown>>;

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export interface ScimAnswer {
  readonly status: number;
  readonly body: Json;
  readonly headers: Headers;
}

export async function startScim() {
  const store = { dialect: 'sqlite', storage: `${await temporaryFolder()}/platform.sqlite` } as const;
  const platform = await startTeamPlatform({ store });
  const roles = { Administrators: all, support: all, sales: all };
  await platform.call('PUT', '/api/rights', { document: { roles }, base: 0 });
  const made = await platform.call('POST', '/api/scim-tokens', { name: 'entra', role: 'support' });
  const { token, id } = made.body as { token: string; id: number };
  const scim = scimOf(platform, token);
  const create = async (userName: string, more: Json = {}) =>
    (await scim('POST', '/Users', { schemas: [userSchema], userName, ...more })).body as { id: string };
  return { platform, token, tokenId: id, scim, create, readLog: await followAdminLog(store), made };
}

const all = { collections: { '*': { browse: true } } };

export function scimOf({ url }: Pick<TeamPlatform, 'url'>, token: string | undefined) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ScimAnswer> => {
    const response = await fetch(`${url}/scim/v2${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    return { status, headers: answered, body: text === '' ? {} : (JSON.parse(text) as Json) };
  };
}

export const patch = (...Operations: readonly Json[]) => ({ schemas: [patchSchema], Operations });

export const filterBy = (filter: string) => `filter=${encodeURIComponent(filter)}`;
