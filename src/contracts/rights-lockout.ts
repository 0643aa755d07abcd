import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { PermissionFile } from './permission-file.ts';
import type { CheckedRights } from './rights.ts';

/** `ADMINISTRATORS_LOCKED_OUT`: why no administrator of an environment could browse anything under a document of rights. */
export function administratorsLockedOut(
  environment: string,
  { roles, teams }: Pick<CheckedRights, 'roles' | 'teams'>,
  document: PermissionFile,
): CloudError {
  const named = Object.keys(document.roles);
  const message = [
    `No administrator of "${environment}" could browse any collection.`,
    ...roles.map(({ name }) => `The role "${name}" is not named.${didYouMean(nearestName(name, named))}`),
    ...teams.map(({ name }) => `The team "${name}" is not named.`),
  ];
  return cloudError('ADMINISTRATORS_LOCKED_OUT', message.join(' '), [
    'Name the role and the team of the administrators, with "browse" on the collections that they look after.',
    'If nobody is to browse, say so: --allow-lockout, or "allowLockout": true in the request.',
  ]);
}

/** A role that people have and a document of rights does not name. */
export interface LeftOutRole {
  readonly name: string;
  readonly people: number;
  /** The role of the document that is most likely meant; `null` where none is close. */
  readonly nearest: string | null;
}

/** Whom a `permissions.json` would leave out, one sentence each. */
export function leftOutInWords({
  rolesLeftOut,
  leftOut,
}: {
  readonly rolesLeftOut: readonly LeftOutRole[];
  readonly leftOut: CheckedRights['teams'];
}): readonly string[] {
  return [
    ...rolesLeftOut.map(
      ({ name, people, nearest }) =>
        `${name}, ${people === 1 ? '1 person' : `${people} people`}, loses everything: permissions.json does not name the role.${didYouMean(nearest ?? undefined)}`,
    ),
    ...leftOut.map(
      ({ name, people }) =>
        `"${name}" is no team of permissions.json: its people (${people}) see nothing until they get another team`,
    ),
  ];
}
