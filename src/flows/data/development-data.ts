import { type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { openProject, type Project } from '#project/index';
import type { CollectionSchema, DataSource } from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { refuseProductionKey } from '../local-platform/refuse-production-key.ts';

/** A collection of a database, as the database has it: without customizations. */
export interface StoredCollection {
  readonly schema: CollectionSchema;
  readonly source: DataSource;
  /** The column that takes the time of a deletion: that of `vendor-cloud.json`, else what the columns suggest. */
  readonly softDelete: string | undefined;
}

export interface DevelopmentData {
  readonly project: Project;
  /** By the names of the project. */
  readonly collections: ReadonlyMap<string, StoredCollection>;
}

export const anywhere = { timezone: 'UTC' } as const;

/**
 * Open the databases of a project, do `work`, and close them again. Soft deletes and timestamps are columns like others here. Rejects
 * with `PRODUCTION_KEY_REFUSED`.
 */
export async function withDevelopmentData<Result>(
  context: FlowContext,
  folder: string,
  work: (data: DevelopmentData) => Promise<Result>,
): Promise<Result> {
  const project = await openProject(context.fs, folder, context.variables);
  await refuseProductionKey(context, project);
  const { createUriDataSource, selectCollections } = await import('#runtime/index');
  const opened: { readonly source: DataSource; readonly settings: ProjectDataSource }[] = [];
  try {
    for (const [name, settings] of Object.entries(project.dataSources)) {
      const { uri, include, exclude, rename } = settings;
      const place = `the data source "${name}" in ${projectConfigFile}`;
      const source = await selectCollections(createUriDataSource(uri), { include, exclude, rename }, place)();
      opened.push({ source, settings });
    }
    const stored = opened.flatMap(({ source, settings }) =>
      source.collections.map((schema) => {
        const softDelete = softDeleteOf(schema, source, settings);
        return [schema.name, { schema, source, softDelete }] as const;
      }),
    );
    return await work({ project, collections: new Map(stored) });
  } finally {
    await Promise.all(opened.map(({ source }) => source.close()));
  }
}

/** Settings name tables as the database does. */
function softDeleteOf(
  { name }: CollectionSchema,
  { suggestedSettings }: DataSource,
  { softDelete, rename = {} }: ProjectDataSource,
): string | undefined {
  if (softDelete === false) return undefined;
  const table =
    typeof rename === 'string'
      ? name.slice(rename.length)
      : (Object.entries(rename).find(([, renamed]) => renamed === name)?.[0] ?? name);
  const marks = { ...suggestedSettings?.softDelete, ...softDelete };
  return (Object.hasOwn(marks, table) && marks[table]) || undefined;
}

/** The collections of those names; all of them for none. Throws `USAGE_INVALID`. */
export function namedCollections(
  { collections }: DevelopmentData,
  names: readonly string[],
): readonly StoredCollection[] {
  if (names.length === 0) return [...collections.values()];
  return names.map((name) => {
    const found = collections.get(name);
    if (found) return found;
    throw cloudError(
      'USAGE_INVALID',
      `There is no collection "${name}".${didYouMean(nearestName(name, collections.keys()))}`,
      'Use the name that the table has in its database, or that "rename" gives it.',
    );
  });
}
