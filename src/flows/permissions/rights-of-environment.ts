import { type PermissionFile, permissionFileName } from '#contracts/permission-file';
import type { Rights } from '#contracts/rights';
import { differenceInWords } from '#contracts/rights-in-words';
import { CloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform/platform-client';
import { openProject, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

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
  readonly leftOut: Rights['teams'];
}

/** The file of the project beside the rights of an environment. */
export async function compareWithFile(context: FlowContext, target: RightsTarget) {
  const { root } = await openProject(context.fs, target.folder, context.variables);
  const file = await readPermissions(context.fs, root);
  if (!file) throw fileMissing(root);
  const rights = await readRights(context, target);
  return { file, rights, comparison: compare(file, rights) };
}

function compare(file: PermissionFile, rights: RightsOfEnvironment): RightsComparison {
  const { environment, revision, document, teams } = rights;
  const leftOut = file.teams
    ? teams.filter(({ name, people }) => people > 0 && !Object.hasOwn(file.teams ?? {}, name))
    : [];
  return { environment, revision, ...differenceInWords(document, file), leftOut };
}

function fileMissing(root: string): CloudError {
  return new CloudError({
    code: 'PERMISSION_FILE_INVALID',
    message: `There is no ${permissionFileName} in ${root}.`,
    nextSteps: [`Write it; docs/permissions.md has an example.`],
  });
}
