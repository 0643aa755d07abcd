import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import type { SetupResult } from '#contracts/setup';
import { push } from '#flows/push/push';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { DevProcess } from './dev-process.ts';
import { endWithTest } from './end-with-test.ts';
import { flowContext } from './flow-context.ts';
import { createShopProject } from './shop-project.ts';
import { firstAdministrator, postSetup } from './team-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

/** The platform of a team in a process that serves `production` too, and the sample shop with each of `codes` as a version. */
export interface ServedTeam {
  readonly url: string;
  /** Speaks for the administrator, about `production`. */
  readonly client: PlatformClient;
  readonly database: string;
}

export async function startServedTeam(codes: Readonly<Record<string, string>>): Promise<ServedTeam> {
  const folder = await temporaryFolder();
  const start = (listen: string, flags: readonly string[], env: Record<string, string>) => {
    const server = new DevProcess(bin, ['platform', 'start', '--listen', listen, ...flags], { cwd: folder, env });
    endWithTest(server.child);
    return server;
  };
  const first = start('127.0.0.1:0', [], {});
  const url = String((await first.next('listening'))['url']);
  const secret = new URL(String((await first.next('setup'))['url'])).hash.slice(1);
  const { environments, userToken } = (await (
    await postSetup(url, { secret, ...firstAdministrator })
  ).json()) as SetupResult;
  first.child.kill('SIGTERM');
  await first.ended();
  const envSecret = environments.find(({ name }) => name === 'production')?.secret ?? '';
  const serving = start(new URL(url).host, ['--serve', '127.0.0.1:0'], { SERVICE_ENV_SECRET: envSecret });
  await serving.next('waiting');

  const root = await createShopProject();
  const database = path.join(root, 'shop.sqlite');
  const configFile = path.join(root, projectConfigFile);
  const config = JSON.parse(await readFile(configFile, 'utf8')) as { dataSources: { main: object } };
  // The host has another folder.
  config.dataSources.main = { ...config.dataSources.main, uri: `sqlite:${database}` };
  await writeFile(configFile, JSON.stringify(config));
  const variables = { SERVICE_SERVER_URL: url, SERVICE_AUTH_TOKEN: userToken };
  const context = { ...flowContext(root), variables };
  for (const [message, code] of Object.entries(codes)) {
    await writeFile(path.join(root, 'src/index.ts'), code);
    await push(context, { folder: root, message, environment: 'production', isDeployed: true });
  }
  const credentials = { userToken, envSecret };
  const client = createPlatformClient({ serverUrl: url, http: context.http, credentials, environment: 'production' });
  return { url, client, database };
}
