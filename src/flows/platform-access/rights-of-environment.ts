import path from 'node:path';
import type { PermissionFile } from '#contracts/permission-file';
import { permissionFileName } from '#contracts/project-config';
import { administratorsLockedOut, type CheckedRights, type LeftOutRole, type Rights } from '#contracts/rights';
import { differenceInWords } from '#contracts/rights-in-words';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from './connect-to-platform.ts';

export interface RightsTarget {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment: string | undefined;
}

/** The rights of an environment, and the connection they came over. */
export interface RightsOfEnvironment extends Rights {
  readonly environment: string;
  readonly client: PlatformClient;
}

export async function readRights(context: FlowContext, target: RightsTarget): Promise<RightsOfEnvironment> {
  const project = await openProject(context.fs, target.folder, context.variables);
  const { client } = await connectToPlatform(context, project, target.environment);
  const [{ environment }, rights] = await Promise.all([client.me(), client.rights()]);
  return { environment, client, ...rights };
}

/** What applying the file of the project would change, one sentence each. */
export interface RightsComparison {
  readonly environment: string;
  /** Of the rights of the environment. */
  readonly revision: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** Teams with people that the document does not name, so that they see nothing. */
  readonly leftOut: CheckedRights['teams'];
  /** Roles with people that the document does not name, so that they lose everything. */
  readonly rolesLeftOut: readonly LeftOutRole[];
  /** Whether no administrator could browse anything any more. */
  readonly isLockout: boolean;
}

/** The people that a document leaves out. */
export type LeftOut = Pick<RightsComparison, 'leftOut' | 'rolesLeftOut' | 'isLockout'>;

/**
 * The file of the project beside the rights of an environment. Its names are checked against what the environment serves, as `apply` does.
 *
 * @param another Another file than `permissions.json`.
 */
export async function compareWithFile(context: FlowContext, target: RightsTarget, another?: string) {
  const { root } = await openProject(context.fs, target.folder, context.variables);
  const name = another === undefined ? permissionFileName : path.relative(root, another);
  // What is wrong in the file itself is said before anybody is asked.
  if (!(await readPermissions(context.fs, root, null, name))) throw fileMissing(root, name);
  const rights = await readRights(context, target);
  const schema = await rights.client.schema();
  const file = await readPermissions(context.fs, root, schema, name);
  if (!file) throw fileMissing(root, name);
  return { file, rights, comparison: await compareRights(rights, file) };
}

/** What setting a document would change, and who would be left out. */
export async function compareRights(
  { client, environment, revision, document }: RightsOfEnvironment,
  wanted: PermissionFile,
): Promise<RightsComparison> {
  return { environment, revision, ...differenceInWords(document, wanted), ...(await leftOutBy(client, wanted)) };
}

/** The people that a document would leave out at a platform. */
export async function leftOutBy(
  client: Pick<PlatformClient, 'checkRights'>,
  document: PermissionFile,
): Promise<LeftOut> {
  const { roles, teams, isLockout } = await client.checkRights(document);
  const named = Object.keys(document.roles);
  const rolesLeftOut = roles.map((role) => ({ ...role, nearest: nearestName(role.name, named) ?? null }));
  return { leftOut: teams, rolesLeftOut, isLockout };
}

/** Throws `ADMINISTRATORS_LOCKED_OUT`. */
export function refuseLockout(
  { environment, isLockout, rolesLeftOut, leftOut }: RightsComparison,
  document: PermissionFile,
): void {
  if (isLockout) throw administratorsLockedOut(environment, { roles: [...rolesLeftOut], teams: leftOut }, document);
}

function fileMissing(root: string, name: string): CloudError {
  return cloudError(
    'PERMISSION_FILE_INVALID',
    `There is no ${name} in ${root}.`,
    `Write it; docs/permissions.md has an example.`,
  );
}
