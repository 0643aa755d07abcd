import type { GroupList, MapGroup } from '#contracts/groups';
import type { CreateScimToken, NewScimToken, ScimToken } from '#contracts/scim-tokens';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToPeople } from './manage-people.ts';

export interface ListedGroups extends GroupList {
  readonly project: string;
}

/** What the groups of the company give in a project. */
export async function listGroups(context: FlowContext, folder: string): Promise<ListedGroups> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, ...(await client.groups()) };
}

interface NamedGroup {
  readonly folder: string;
  readonly group: string;
}

/** Say what a group gives. Rejects with `USAGE_INVALID` for nothing. */
export async function mapGroup(
  context: FlowContext,
  { folder, group, ...given }: NamedGroup & MapGroup,
): Promise<ListedGroups> {
  if (!given.makesAdministrator && given.roles.length + given.teams.length === 0) {
    throw cloudError('USAGE_INVALID', 'The group would give nothing.', 'Say what: --role, --team or --administrators.');
  }
  const { client, project } = await connectToPeople(context, folder);
  return { project, ...(await client.mapGroup(group, given)) };
}

export interface UnmappedGroup {
  readonly project: string;
  readonly group: string;
}

/** Take away what a group gives. */
export async function unmapGroup(context: FlowContext, { folder, group }: NamedGroup): Promise<UnmappedGroup> {
  const { client, project } = await connectToPeople(context, folder);
  await client.unmapGroup(group);
  return { project, group };
}

export interface ListedScimTokens {
  readonly project: string;
  readonly tokens: readonly ScimToken[];
}

export async function listScimTokens(context: FlowContext, folder: string): Promise<ListedScimTokens> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, tokens: await client.scimTokens() };
}

export interface CreatedScimToken extends NewScimToken {
  readonly project: string;
}

/** Make a token for SCIM. Nobody can read it again. */
export async function createScimToken(
  context: FlowContext,
  { folder, ...input }: CreateScimToken & { readonly folder: string },
): Promise<CreatedScimToken> {
  const { client, project } = await connectToPeople(context, folder);
  return { project, ...(await client.createScimToken(input)) };
}

export interface ScimTokenToRevoke {
  readonly project: string;
  readonly id: number;
  readonly name: string;
}

export interface RevokedScimToken extends ScimTokenToRevoke {
  readonly isRevoked: boolean;
}

interface RevokeInput {
  readonly folder: string;
  readonly id: number;
  confirm(token: ScimTokenToRevoke): Promise<boolean>;
}

/** End a token for SCIM at once. Rejects with `REQUEST_NOT_FOUND`. */
export async function revokeScimToken(
  context: FlowContext,
  { folder, id, confirm }: RevokeInput,
): Promise<RevokedScimToken> {
  const { client, project } = await connectToPeople(context, folder);
  const found = (await client.scimTokens()).find((each) => each.id === id);
  if (!found) {
    throw cloudError(
      'REQUEST_NOT_FOUND',
      `The project ${project} has no SCIM token ${id}.`,
      'List the tokens: vendor-cloud scim list',
    );
  }
  const revoked = { project, id, name: found.name };
  if (!(await confirm(revoked))) return { ...revoked, isRevoked: false };
  await client.revokeScimToken(id);
  return { ...revoked, isRevoked: true };
}
