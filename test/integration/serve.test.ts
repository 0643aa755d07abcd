import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { push } from '#flows/push/push';
import { serve } from '#flows/serve/serve';
import type { ServeEvent } from '#flows/serve/serve-event';
import { silentLogger } from '#kernel/ports/logger';
import { createPlatformClient, type PlatformClient } from '#platform/index';
import { type Sandbox, startSandbox } from '#sandbox/index';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

type EventOf<Name extends ServeEvent['event']> = Extract<ServeEvent, { event: Name }>;

const envSecret = 'e'.repeat(64);
const computed = (text: string) =>
  `export default (agent: any) => agent.customizeCollection('customers', (customers: any) => customers.addField('greeting', {
     columnType: 'String', dependencies: ['first_name'], getValues: (records: any[]) => records.map(() => '${text}') }));`;

let root: string;
let sandbox: Sandbox;
let client: PlatformClient;
let variables: Record<string, string>;

beforeEach(async () => {
  root = await createShopProject();
  sandbox = await startPlatform(await temporaryFolder());
  const access = await sandbox.provisionDevelopment({
    project: 'shop',
    envSecret,
    user: { name: 'Ada Lovelace', email: 'ada@example.test' },
  });
  variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: access.userToken };
  const credentials = { userToken: access.userToken };
  client = createPlatformClient({ serverUrl: sandbox.url, http: flowContext(root).http, credentials });
});

async function startPlatform(folder: string, port = 0): Promise<Sandbox> {
  const { clock, random } = flowContext(folder);
  const started = await startSandbox({
    store: `sqlite:${path.join(folder, 'platform.sqlite')}`,
    port: { port, isExact: port !== 0 },
    clock,
    random,
    logger: silentLogger,
    platformKey: 'a'.repeat(64),
  });
  onTestFinished(() => started.stop());
  return started;
}

/** Push the project with other code; resolves when the deployment is live. */
async function pushCode(text: string) {
  await writeFile(path.join(root, 'src/index.ts'), computed(text));
  return push({ ...flowContext(root), variables }, { folder: root, message: text, isDeployed: true });
}

/** A host of the environment in this process, with one worker. */
function startHost(name: string, stateFolder: string, serverUrl = sandbox.url) {
  const events: ServeEvent[] = [];
  let wake: (() => void) | undefined;
  const quit = new AbortController();
  const anyPort = { port: 0, isExact: false };
  const session = serve(
    { ...flowContext(root), variables: {} },
    {
      serverUrl,
      envSecret,
      name,
      bindAddress: '127.0.0.1',
      ports: { agent: anyPort, mcp: anyPort },
      workers: 1,
      stateFolder,
      drainMs: 100,
      signal: quit.signal,
      tell: (event) => {
        events.push(event);
        wake?.();
      },
    },
  );
  const stop = async () => {
    quit.abort();
    await session;
  };
  onTestFinished(stop);
  const next = async <Name extends ServeEvent['event']>(wanted: Name): Promise<EventOf<Name>> => {
    for (;;) {
      const event = events.shift();
      if (event?.event === wanted) return event as EventOf<Name>;
      if (event) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { next, stop };
}

describe('a host of an environment', () => {
  it('waits for the first push, serves it, and swaps to the next one', async () => {
    const host = startHost('one', await temporaryFolder());
    await host.next('waiting');
    const { deployment } = await pushCode('first');
    expect(deployment).toMatchObject({ number: 1, version: 1, state: 'live', note: null });
    expect(await host.next('serving')).toMatchObject({ deployment: 1, version: 1 });
    expect((await pushCode('second')).deployment).toMatchObject({ number: 2, version: 2, state: 'live' });
    expect(await host.next('serving')).toMatchObject({ deployment: 2 });
    const { hosts } = await client.hosts();
    expect(hosts).toEqual([expect.objectContaining({ name: 'one', serving: 2, isConnected: true })]);
    const { live, deployments } = await client.listDeployments();
    expect({ live, states: deployments.map(({ state }) => state) }).toEqual({ live: 2, states: ['live', 'replaced'] });
  });
});
