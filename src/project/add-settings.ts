import type { ProjectDataSource } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { rewriteConfig } from './rewrite-config.ts';

/** Settings of data sources, by their names in the project. */
export type SettingsByDataSource = Readonly<Record<string, Pick<ProjectDataSource, 'softDelete' | 'timestamps'>>>;

/**
 * Write settings of data sources into `vendor-cloud.json`. Everything else stays as it was written: URIs with their
 * variables, and no defaults are added.
 *
 * @throws `PROJECT_CONFIG_INVALID`
 */
export async function addSettings(fs: FileSystem, root: string, settings: SettingsByDataSource): Promise<void> {
  await rewriteConfig(fs, root, (written) => ({
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
export async function setServerUrl(fs: FileSystem, root: string, serverUrl: string): Promise<void> {
  await rewriteConfig(fs, root, (written) => ({ ...written, serverUrl }));
}
