import path from 'node:path';
import { type ProjectDataSource, projectConfigFile } from '#contracts/project-config';
import type { FileSystem } from '#kernel/ports/file-system';
import { withLineEndsOf } from '#kernel/text/line-ends';
import { readConfig } from './read-config.ts';
import { rewriteConfig } from './rewrite-config.ts';

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
  const envFile = path.join(root, '.env');
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
