import { projectConfigFile } from '#contracts/project-config';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { openProject, type Project } from '#project/index';
import type { CollectionSchema, DataSource } from '#runtime/index';
import { refuseProductionKey } from '../dev/refuse-production-key.ts';
import type { FlowContext } from '../flow-context.ts';

/** A collection of a database, as the database has it: without customizations. */
export interface StoredCollection {
  readonly schema: CollectionSchema;
  readonly source: DataSource;
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
  const opened: DataSource[] = [];
  try {
    for (const [name, { uri, include, exclude, rename }] of Object.entries(project.dataSources)) {
      const place = `the data source "${name}" in ${projectConfigFile}`;
      opened.push(await selectCollections(createUriDataSource(uri), { include, exclude, rename }, place)());
    }
    const stored = opened.flatMap((source) =>
      source.collections.map((schema) => [schema.name, { schema, source }] as const),
    );
    return await work({ project, collections: new Map(stored) });
  } finally {
    await Promise.all(opened.map((source) => source.close()));
  }
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
    throw new CloudError({
      code: 'USAGE_INVALID',
      message: `There is no collection "${name}".${didYouMean(nearestName(name, collections.keys()))}`,
      nextSteps: ['Use the name that the table has in its database, or that "rename" gives it.'],
    });
  });
}
