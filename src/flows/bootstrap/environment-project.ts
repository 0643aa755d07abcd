import path from 'node:path';
import type { EnvironmentDataSources } from '#contracts/environments';
import { projectConfigFile, urisOf } from '#contracts/project-config';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient } from '#platform-client/platform-client';
import type { FlowContext } from '../flow-context.ts';

/** A project on the databases of an environment of a platform. */
export interface EnvironmentProject extends EnvironmentDataSources {
  readonly serverUrl: string;
  /** The variables that the connection URIs name, with their values. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Read the databases of an environment with its secret. Rejects with `USAGE_INVALID` where the environment has none, or where a
 * variable of a URI has no value here: the values on the platform are only for hosts.
 */
export async function readEnvironmentProject(
  context: FlowContext,
  serverUrl: string,
  envSecret: string,
): Promise<EnvironmentProject> {
  const client = createPlatformClient({ serverUrl, http: context.http, credentials: { envSecret } });
  const found = await context.reporter.step('Asking the platform for the databases', () => client.dataSources());
  const uris = Object.values(found.dataSources).flatMap(urisOf);
  if (uris.length === 0) throw noDataSource(found);
  const names = new Set(uris.flatMap((uri) => [...uri.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)));
  const missing = [...names].filter((name) => context.variables[name] === undefined);
  if (missing.length > 0) throw withoutValue(missing, found);
  const variables = Object.fromEntries([...names].map((name) => [name, context.variables[name] ?? '']));
  return { ...found, serverUrl, variables };
}

/** Write the configuration and the secrets of such a project in place of those of the template. */
export async function writeEnvironmentProject(
  { fs }: FlowContext,
  folder: string,
  { project, serverUrl, dataSources, variables }: EnvironmentProject,
  envSecret: string,
): Promise<void> {
  const config = { name: project, serverUrl, dataSources };
  await fs.writeAtomically(path.join(folder, projectConfigFile), `${JSON.stringify(config, null, 2)}\n`);
  const lines = Object.entries({ SERVICE_ENV_SECRET: envSecret, ...variables }).map(
    ([name, value]) => `${name}=${quoted(value)}`,
  );
  const text = ['# Read by vendor-cloud, never committed: it holds secrets.', ...lines, ''].join('\n');
  await fs.writeAtomically(path.join(folder, '.env'), text, { mode: 0o600 });
}

/** In quotes that the value does not have itself. */
function quoted(value: string): string {
  const mark = ["'", '"', '`'].find((each) => !value.includes(each)) ?? "'";
  return `${mark}${value}${mark}`;
}

function noDataSource({ project, environment, version }: EnvironmentDataSources): CloudError {
  const why = version === null ? 'no version is live there' : `its version ${version} names none`;
  return cloudError('USAGE_INVALID', `The environment "${environment}" of "${project}" has no database: ${why}.`, [
    'Name one: vendor-cloud bootstrap --uri <uri>',
    'Then bring it there: vendor-cloud push',
  ]);
}

function withoutValue(names: readonly string[], { environment }: EnvironmentDataSources): CloudError {
  const assignments = names.map((name) => `${name}=…`).join(' ');
  return cloudError(
    'USAGE_INVALID',
    `The databases of "${environment}" need ${names.join(', ')}, and the platform gives values only to hosts.`,
    `Set what reaches the databases from here: ${assignments} vendor-cloud bootstrap`,
  );
}
