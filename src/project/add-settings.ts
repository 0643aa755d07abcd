import path from 'node:path';
import { type ProjectConfig, type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { readConfig } from './read-config.ts';

/** Settings of data sources, by their names in the project. */
export type SettingsByDataSource = Readonly<Record<string, Pick<ProjectDataSource, 'softDelete' | 'timestamps'>>>;

/**
 * Write settings of data sources into `vendor-cloud.json`. Everything else stays as it was written: URIs with their
 * variables, and no defaults are added.
 *
 * @throws `PROJECT_CONFIG_INVALID`
 */
export async function addSettings(fs: FileSystem, root: string, settings: SettingsByDataSource): Promise<void> {
  await readConfig(fs, root);
  const file = path.join(root, projectConfigFile);
  const written: Pick<ProjectConfig, 'dataSources'> = JSON.parse((await fs.readText(file)) ?? '');
  const dataSources = Object.entries(written.dataSources).map(([name, source]) => [
    name,
    { ...source, ...settings[name] },
  ]);
  const config = { ...written, dataSources: Object.fromEntries(dataSources) };
  await fs.writeAtomically(file, `${JSON.stringify(config, undefined, 2)}\n`);
}
