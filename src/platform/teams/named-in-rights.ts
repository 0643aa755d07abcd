import { type PermissionFile, permissionFileSchema } from '#contracts/permission-file';
import type { StoreTransaction } from '../store/store.ts';

/** The document of a stored revision; `null` where it took all rights away. */
export function parseRights(text: string): PermissionFile | null {
  return permissionFileSchema.nullable().parse(JSON.parse(text));
}

interface NewestRights {
  readonly environmentId: number;
  readonly environment: string;
  readonly revision: number;
  readonly document: PermissionFile | null;
}

/** The rights of each environment of a project now; `null` where they were taken away. Environments that never had any are not among them. */
export async function newestRights(db: StoreTransaction['db'], projectId: number): Promise<readonly NewestRights[]> {
  const rows = await db
    .selectFrom('rights')
    .innerJoin('environments', 'environments.id', 'rights.environmentId')
    .select(['environments.name as environment', 'environmentId', 'revision', 'rights.document'])
    .where('environments.projectId', '=', projectId)
    .where('rights.revision', '=', (newest) =>
      newest
        .selectFrom('rights as newer')
        .select(({ fn }) => fn.max('newer.revision').as('revision'))
        .whereRef('newer.environmentId', '=', 'rights.environmentId'),
    )
    .orderBy('environments.name')
    .execute();
  return rows.map(({ document, ...row }) => ({ ...row, document: parseRights(document) }));
}

/** The roles and teams that the rights of the environments of a project name now. */
export async function namedInRights(
  db: StoreTransaction['db'],
  projectId: number,
): Promise<{ readonly roles: ReadonlySet<string>; readonly teams: ReadonlySet<string> }> {
  const documents = (await newestRights(db, projectId)).map(({ document }) => document);
  return {
    roles: new Set(documents.flatMap((document) => Object.keys(document?.roles ?? {}))),
    teams: new Set(documents.flatMap((document) => Object.keys(document?.teams ?? {}))),
  };
}
