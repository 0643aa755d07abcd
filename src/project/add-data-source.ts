import path from 'node:path';
import { type ProjectConfig, type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { readConfig } from './read-config.ts';

export interface NewDataSource {
  readonly name: string;
  /** As it stands in `vendor-cloud.json`: its URI may refer to variables. */
  readonly source: ProjectDataSource;
  /** A variable to write into `.env`. Its value stays out of `vendor-cloud.json`, which goes into git. */
  readonly variable?: { readonly name: string; readonly value: string } | undefined;
}

/**
 * Write a data source into `vendor-cloud.json`, and its variable into `.env`. Everything else stays as it was written. Resolves with
 * how to take it back.
 *
 * @throws `PROJECT_CONFIG_INVALID`
 */
export async function addDataSource(
  fs: FileSystem,
  root: string,
  { name, source, variable }: NewDataSource,
): Promise<() => Promise<void>> {
  await readConfig(fs, root);
  const configFile = path.join(root, projectConfigFile);
  const envFile = path.join(root, '.env');
  const [config = '', env] = [(await fs.readText(configFile)) ?? '', await fs.readText(envFile)];
  const written: Pick<ProjectConfig, 'dataSources'> = JSON.parse(config);
  const dataSources = { ...written.dataSources, [name]: source };
  if (variable) await fs.writeAtomically(envFile, withVariable(env ?? '', variable), { mode: 0o600 });
  await fs.writeAtomically(configFile, `${JSON.stringify({ ...written, dataSources }, undefined, 2)}\n`);
  return async () => {
    await fs.writeAtomically(configFile, config);
    if (!variable) return;
    if (env === null) await fs.remove(envFile);
    else await fs.writeAtomically(envFile, env, { mode: 0o600 });
  };
}

function withVariable(env: string, { name, value }: { readonly name: string; readonly value: string }): string {
  const before = env === '' || env.endsWith('\n') ? env : `${env}\n`;
  return `${before}${name}='${value.replaceAll("'", '%27')}'\n`;
}
