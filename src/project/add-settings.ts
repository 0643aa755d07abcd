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
export function addSettings(fs: FileSystem, root: string, settings: SettingsByDataSource): Promise<void> {
  return rewrite(fs, root, (written) => ({
    ...written,
    dataSources: Object.fromEntries(
      Object.entries(written.dataSources).map(([name, source]) => [name, { ...source, ...settings[name] }]),
    ),
  }));
}

/**
 * Write the address of the platform into `vendor-cloud.json`.
 *
 * @throws `PROJECT_CONFIG_INVALID`
 */
export function setServerUrl(fs: FileSystem, root: string, serverUrl: string): Promise<void> {
  return rewrite(fs, root, (written) => ({ ...written, serverUrl }));
}

/** A configuration as it stands in the file, which is valid, without defaults. */
type WrittenConfig = Pick<ProjectConfig, 'dataSources'>;

async function rewrite(fs: FileSystem, root: string, change: (written: WrittenConfig) => WrittenConfig): Promise<void> {
  await readConfig(fs, root);
  const file = path.join(root, projectConfigFile);
  const written: WrittenConfig = JSON.parse((await fs.readText(file)) ?? '');
  await fs.writeAtomically(file, `${JSON.stringify(change(written), undefined, 2)}\n`);
}
