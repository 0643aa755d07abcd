import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { FlowContext } from '#flows/flow-context';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { flowContext } from './flow-context.ts';
import { startPlatformIn } from './start-platform.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { writeFiles } from './write-files.ts';

export interface PushingProject {
  readonly root: string;
  /** With the platform and a token of its administrator in its variables. */
  readonly context: FlowContext;
  /** Speaks for the same person and, to the routes of agents, for the environment. */
  readonly client: PlatformClient;
  readonly serverUrl: string;
  readonly envSecret: string;
  /** Write `src/index.ts`. */
  write(code: string): Promise<void>;
}

/** Code that counts as another version for each word. */
export function codeThatSays(word: string): string {
  return `export default (agent) => agent.customizeCollection('notes', (notes) =>
    notes.addField('said', { columnType: 'String', dependencies: ['text'], getValues: (rows) => rows.map(() => '${word}') }));`;
}

/** A project on a SQLite database with one table, and a platform that it is pushed to. Both are gone when the test ends. */
export async function startPushingProject(): Promise<PushingProject> {
  const root = await temporaryFolder();
  const envSecret = systemRandom.hex(32);
  const sandbox = await startPlatformIn(await temporaryFolder());
  onTestFinished(() => sandbox.stop());
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const { userToken } = await sandbox.provisionDevelopment({ project: 'notebook', envSecret, user });
  const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: userToken };
  const context = { ...flowContext(root), variables };
  const database = await context.openDatabase(path.join(root, 'notes.sqlite'));
  database.execute('create table notes (id integer primary key, text text not null)');
  database.close();
  const config = { name: 'notebook', dataSources: { main: { uri: 'sqlite:./notes.sqlite' } } };
  const write = (code: string) => writeFiles(root, { 'src/index.ts': code });
  await writeFiles(root, { 'vendor-cloud.json': JSON.stringify(config) });
  await write(codeThatSays('hello'));
  const client = createPlatformClient({
    serverUrl: sandbox.url,
    http: context.http,
    credentials: { userToken, envSecret },
  });
  return { root, context, client, serverUrl: sandbox.url, envSecret, write };
}
