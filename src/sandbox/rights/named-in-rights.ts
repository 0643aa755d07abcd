import { type PermissionFile, permissionFileSchema } from '#contracts/permission-file';
import type { StoreTransaction } from '../store/store.ts';

/** The document of a stored revision; `null` where it took all rights away. */
export function parseRights(text: string): PermissionFile | null {
  return permissionFileSchema.nullable().parse(JSON.parse(text));
}

/** The roles and teams that the rights of the environments of a project name now. */
export async function namedInRights(
  db: StoreTransaction['db'],
  projectId: number,
): Promise<{ readonly roles: ReadonlySet<string>; readonly teams: ReadonlySet<string> }> {
  const rows = await db
    .selectFrom('rights')
    .innerJoin('environments', 'environments.id', 'rights.environmentId')
    .select('rights.document')
    .where('environments.projectId', '=', projectId)
    .where('rights.revision', '=', (newest) =>
      newest
        .selectFrom('rights as newer')
        .select(({ fn }) => fn.max('newer.revision').as('revision'))
        .whereRef('newer.environmentId', '=', 'rights.environmentId'),
    )
    .execute();
  const documents = rows.map(({ document }) => parseRights(document));
  return {
    roles: new Set(documents.flatMap((document) => Object.keys(document?.roles ?? {}))),
    teams: new Set(documents.flatMap((document) => Object.keys(document?.teams ?? {}))),
  };
}
