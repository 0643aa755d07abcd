import type { Kysely } from 'kysely';
import * as z from 'zod';
import type { AdminValues } from '#contracts/audit/admin-values';
import { type ClientRights, clientRightsSchema } from '#contracts/client-rights';
import { type McpScope, mcpScopes } from '#contracts/mcp';
import { auditUserOf } from '../audit/admin-log.ts';
import type { Tables } from '../store/tables.ts';

/** What a person has let a client do in an environment. */
export interface GrantRecord {
  readonly id: string;
  readonly environment: { readonly id: number; readonly name: string; readonly projectId: number };
  readonly user: { readonly id: number; readonly firstName: string; readonly lastName: string; readonly email: string };
  readonly client: {
    readonly id: string | null;
    readonly name: string | null;
    readonly redirectUris: readonly string[];
  };
  readonly scopes: readonly McpScope[];
  /** The client of the rights of the environment that it counts as; `null` where its id says that. */
  readonly countsAs: string | null;
  /** What was set for it; `null` where nothing was. */
  readonly rights: ClientRights | null;
  readonly createdAt: number;
  readonly lastTokenAt: number | null;
  readonly expiresAt: number;
}

interface WhichGrants {
  readonly id?: string | undefined;
  readonly environmentId?: number | undefined;
  readonly projectId?: number | undefined;
  readonly personId?: number | undefined;
}

/** Grants that last, the newest first. What is not named does not matter. */
export async function findGrants(db: Kysely<Tables>, which: WhichGrants, now: number): Promise<readonly GrantRecord[]> {
  const { id, environmentId, projectId, personId } = which;
  let grants = db
    .selectFrom('mcpState as grants')
    .innerJoin('environments', 'environments.id', 'grants.environmentId')
    .innerJoin('users', 'users.id', 'grants.personId')
    .leftJoin('mcpState as clients', (join) =>
      join
        .onRef('clients.environmentId', '=', 'grants.environmentId')
        .onRef('clients.id', '=', 'grants.clientId')
        .on('clients.kind', '=', 'Client'),
    )
    .leftJoin('mcpGrantRights', (join) =>
      join
        .onRef('mcpGrantRights.environmentId', '=', 'grants.environmentId')
        .onRef('mcpGrantRights.grantId', '=', 'grants.id'),
    )
    .where('grants.kind', '=', 'Grant')
    .where('grants.expiresAt', '>', now);
  if (id !== undefined) grants = grants.where('grants.id', '=', id);
  if (environmentId !== undefined) grants = grants.where('grants.environmentId', '=', environmentId);
  if (projectId !== undefined) grants = grants.where('environments.projectId', '=', projectId);
  if (personId !== undefined) grants = grants.where('grants.personId', '=', personId);
  const rows = await grants
    .select(['grants.id', 'grants.payload', 'grants.createdAt', 'grants.expiresAt', 'clients.payload as client'])
    .select(['environments.id as environmentId', 'environments.name as environmentName', 'environments.projectId'])
    .select(['mcpGrantRights.countsAs', 'mcpGrantRights.rights'])
    .select(['users.id as userId', 'users.firstName', 'users.lastName', 'users.email'])
    .select((the) =>
      the
        .selectFrom('mcpState as tokens')
        .whereRef('tokens.environmentId', '=', 'grants.environmentId')
        .whereRef('tokens.grantId', '=', 'grants.id')
        .where('tokens.kind', '=', 'RefreshToken')
        .select((tokens) => tokens.fn.max('tokens.createdAt').as('lastTokenAt'))
        .as('lastTokenAt'),
    )
    .orderBy('grants.createdAt', 'desc')
    .orderBy('grants.id')
    .execute();
  return rows.map(({ client, payload, environmentName, userId, firstName, lastName, email, ...row }) => ({
    id: row.id,
    environment: { id: row.environmentId, name: environmentName, projectId: row.projectId },
    user: { id: userId, firstName, lastName, email },
    client: clientOf(payload, client),
    scopes: scopesOf(payload),
    countsAs: row.countsAs,
    rights: row.rights === null ? null : clientRightsSchema.parse(JSON.parse(row.rights)),
    createdAt: row.createdAt,
    lastTokenAt: row.lastTokenAt,
    expiresAt: row.expiresAt,
  }));
}

const grantSchema = z.object({
  clientId: z.string().optional(),
  resources: z.record(z.string(), z.string()).default({}),
});
const clientSchema = z.object({
  client_name: z.string().nullish(),
  redirect_uris: z.array(z.string()).default([]),
});

function scopesOf(payload: string): readonly McpScope[] {
  const given = Object.values(grantSchema.parse(JSON.parse(payload)).resources).flatMap((scope) => scope.split(' '));
  return mcpScopes.filter((scope) => given.includes(scope));
}

function clientOf(grant: string, payload: string | null): GrantRecord['client'] {
  const { clientId = null } = grantSchema.parse(JSON.parse(grant));
  const { client_name = null, redirect_uris } = clientSchema.parse(payload === null ? {} : JSON.parse(payload));
  return { id: clientId, name: client_name, redirectUris: redirect_uris };
}

/** A grant as the log tells it. */
export function grantValue({ user, client, scopes, countsAs, rights }: GrantRecord): AdminValues['mcp-client'] {
  return {
    user: auditUserOf(user),
    client: client.name,
    redirectUris: client.redirectUris,
    scopes,
    ...(countsAs === null ? {} : { countsAs }),
    ...(rights === null ? {} : { rights }),
  };
}
