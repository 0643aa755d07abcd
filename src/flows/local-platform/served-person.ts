import { firstTeam, type PermissionFile, rolesOf } from '#contracts/permission-file';
import { permissionFileName } from '#contracts/project-config';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { type Project, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** The person that a session serves, under the rights of the file. */
export interface ServedPerson {
  readonly name: string;
  readonly email: string;
  /** The first of `roles`. */
  readonly role: string;
  readonly roles: readonly string[];
  readonly team: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** The person that `as` names in the rights of a project; nobody where nothing is named. */
export async function readServedPerson(
  { fs }: FlowContext,
  { root }: Project,
  as: string | undefined,
): Promise<ServedPerson | undefined> {
  return as === undefined ? undefined : servedPerson(await readPermissions(fs, root), as);
}

/** Stands before the name of a role that is to be served, or of several with commas in between. */
export const rolePrefix = 'role:';

/**
 * The person that `--as` names: an e-mail address of the file, or `role:<name>` for somebody of that role, or of several roles. They see
 * what the first team of the file sees. Throws `PERMISSION_FILE_INVALID` or `USAGE_INVALID`.
 */
function servedPerson(file: PermissionFile | undefined, as: string): ServedPerson {
  if (!file) {
    throw cloudError(
      'PERMISSION_FILE_INVALID',
      `There is no ${permissionFileName}, so nothing says what "${as}" may do.`,
      `Write ${permissionFileName} beside vendor-cloud.json; docs/permissions.md has an example.`,
    );
  }
  const { roles, people = {}, teams = {} } = file;
  const team = Object.keys(teams)[0] ?? firstTeam;
  if (as.startsWith(rolePrefix)) {
    const named = as.slice(rolePrefix.length);
    const [role = named, ...others] = Object.hasOwn(roles, named)
      ? [named]
      : named.split(',').map((each) => each.trim());
    const all = [role, ...others];
    for (const each of all) if (!Object.hasOwn(roles, each)) throw unknown(`role "${each}"`, each, Object.keys(roles));
    const email = `${encodeURIComponent(named)}@role.invalid`;
    return { name: all.join(', '), email, role, roles: all, team, tags: {} };
  }
  const found = Object.entries(people).find(([email]) => email.toLowerCase() === as.toLowerCase());
  if (!found) throw unknown(`person "${as}"`, as, Object.keys(people));
  const [email, { tags = {}, ...person }] = found;
  const own = rolesOf(person);
  const [role] = own ?? [];
  if (own === undefined || role === undefined) {
    throw cloudError(
      'USAGE_INVALID',
      `${permissionFileName} gives ${email} no role, so it says nothing of what they may do.`,
      `Add "role" to people.${email}.`,
    );
  }
  return { name: email.split('@', 1)[0] ?? email, email, role, roles: own, team, tags };
}

function unknown(what: string, name: string, names: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${permissionFileName} has no ${what}.${didYouMean(nearestName(name, names))}`,
    names.length > 0 ? `Name one of: ${names.join(', ')}.` : 'Name a role: --as role:<name>',
  );
}
