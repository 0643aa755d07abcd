import { processEnvironment } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import type { DataSourceFactory } from '#runtime/index';

/**
 * The data sources that `vendor-cloud.json` names, with what it says of each: collections to take, their names, soft deletes and
 * timestamps. Variables come from the process, else from `.env`. Rejects with `PROJECT_…`.
 *
 * @param folder of the project, or below it.
 */
export async function projectDataSources(folder: string): Promise<readonly DataSourceFactory[]> {
  // Tests of records in memory need neither.
  const [{ openProject }, { createUriDataSource, selectNamed }] = await Promise.all([
    import('#project/index'),
    import('#runtime/index'),
  ]);
  const project = await openProject(nodeFileSystem, folder, processEnvironment.variables);
  return Object.entries(project.dataSources).map(
    ([name, { uri, replicas, softDelete, timestamps, instants, ...selection }]) =>
      selectNamed(
        name,
        () => createUriDataSource(uri, { startupTimeoutMs: 0, softDelete, timestamps, instants, replicas }),
        selection,
      ),
  );
}
