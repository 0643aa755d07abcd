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
  /** By column and by the name of the table, the form of instants that only the records tell. */
  readonly sampledInstants: { readonly table: string; readonly forms: Readonly<Record<string, string>> };
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
  const { createUriDataSource, selectNamed } = await import('#runtime/index');
  const opened: { readonly source: DataSource; readonly settings: ProjectDataSource }[] = [];
  try {
    for (const [name, settings] of Object.entries(project.dataSources)) {
      const { uri, include, exclude, rename, instants } = settings;
      const source = await selectNamed(name, () => createUriDataSource(uri, { instants }), {
        include,
        exclude,
        rename,
      })();
      opened.push({ source, settings });
    }
    const stored = opened.flatMap(({ source, settings }) =>
      source.collections.map((schema) => {
        const table = tableOf(schema, settings);
        const softDelete = softDeleteOf(table, source, settings);
        const sampledInstants = { table, forms: source.suggestedSettings?.instants?.[table] ?? {} };
        return [schema.name, { schema, source, softDelete, sampledInstants }] as const;
      }),
    );
    return await work({ project, collections: new Map(stored) });
  } finally {
    await Promise.all(opened.map(({ source }) => source.close()));
  }
}

/** Settings name tables as the database does. */
function tableOf({ name }: CollectionSchema, { rename = {} }: ProjectDataSource): string {
  if (typeof rename === 'string') return name.slice(rename.length);
  return Object.entries(rename).find(([, renamed]) => renamed === name)?.[0] ?? name;
}

function softDeleteOf(
  table: string,
  { suggestedSettings }: DataSource,
  { softDelete }: ProjectDataSource,
): string | undefined {
  if (softDelete === false) return undefined;
  const marks = { ...suggestedSettings?.softDelete, ...softDelete };
  return (Object.hasOwn(marks, table) && marks[table]) || undefined;
}

/** A table that has been emptied no longer tells that its instants are numbers: what is written then are texts. */
export function warnOfSampledInstants({ reporter }: FlowContext, collections: Iterable<StoredCollection>): void {
  const sampled = [...collections].flatMap(({ sampledInstants: { table, forms } }) =>
    Object.keys(forms).length > 0 ? [[table, forms] as const] : [],
  );
  if (sampled.length === 0) return;
  const setting = JSON.stringify(Object.fromEntries(sampled));
  reporter.warn(
    `Only the records tell that some instants are numbers. New records of the emptied tables get texts, unless ${projectConfigFile} has the form. Give the data source the setting "instants": ${setting}.`,
  );
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
