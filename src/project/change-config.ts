import path from 'node:path';
import { type ProjectConfig, type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { withLineEndsOf } from '#kernel/text/line-ends';
import { readConfig } from './read-config.ts';
import { refuseLinks } from './write-generated.ts';

/** A configuration as it is in the file, which is valid, without defaults. */
type WrittenConfig = Pick<ProjectConfig, 'dataSources'>;

/**
 * Change `vendor-cloud.json`. What is not changed stays as it was written. Resolves to the text before.
 *
 * @throws `PROJECT_CONFIG_INVALID`, `PROJECT_FILE_LINKED`
 */
async function rewriteConfig(
  fs: FileSystem,
  root: string,
  change: (written: WrittenConfig) => WrittenConfig,
): Promise<string> {
  await readConfig(fs, root);
  const file = path.join(root, projectConfigFile);
  await refuseLinks(fs, root, file);
  const before = (await fs.readText(file)) ?? '';
  const written: WrittenConfig = JSON.parse(before.replace(/^\uFEFF/, ''));
  const after = `${JSON.stringify(change(written), undefined, 2)}\n`;
  await fs.writeAtomically(file, withLineEndsOf(before, after));
  return before;
}

interface NewDataSource {
  readonly name: string;
  /** As it is in `vendor-cloud.json`: its URI may refer to variables. */
  readonly source: ProjectDataSource;
  /** A variable to write into `.env`. Its value stays out of `vendor-cloud.json`, which goes into git. */
  readonly variable?: { readonly name: string; readonly value: string } | undefined;
}

/**
 * Write a data source into `vendor-cloud.json`, and its variable into `.env`. Everything else stays as it was written. Resolves with
 * how to take it back.
 *
 * @throws `PROJECT_CONFIG_INVALID`, `PROJECT_FILE_LINKED`
 */
export async function addDataSource(
  fs: FileSystem,
  root: string,
  { name, source, variable }: NewDataSource,
): Promise<() => Promise<void>> {
  await readConfig(fs, root);
  const envFile = path.join(root, '.env');
  for (const file of variable ? [envFile, path.join(root, projectConfigFile)] : []) await refuseLinks(fs, root, file);
  const env = await fs.readText(envFile);
  if (variable) await fs.writeAtomically(envFile, withVariable(env ?? '', variable), { mode: 0o600 });
  const config = await rewriteConfig(fs, root, (written) => ({
    ...written,
    dataSources: { ...written.dataSources, [name]: source },
  }));
  return async () => {
    await fs.writeAtomically(path.join(root, projectConfigFile), config);
    if (!variable) return;
    if (env === null) await fs.remove(envFile);
    else await fs.writeAtomically(envFile, env, { mode: 0o600 });
  };
}

function withVariable(env: string, { name, value }: { readonly name: string; readonly value: string }): string {
  const before = env === '' || env.endsWith('\n') ? env : `${env}\n`;
  return withLineEndsOf(env, `${before}${name}='${value.replaceAll("'", '%27')}'\n`);
}

/** Settings of data sources, by their names in the project. */
export type SettingsByDataSource = Readonly<
  Record<string, Pick<ProjectDataSource, 'softDelete' | 'timestamps' | 'instants'>>
>;

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
