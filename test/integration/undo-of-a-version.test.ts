import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { searchLog } from '#flows/audit/search-audit-log';
import { undoWrites } from '#flows/audit/undo/undo-writes';
import { push } from '#flows/push/push';
import { serve } from '#flows/serve/serve';
import type { ServeEvent } from '#flows/serve/serve-event';
import { silentLogger } from '#kernel/ports/logger';
import { createPlatformClient } from '#platform-client/platform-client';
import { startSandbox } from '#sandbox/index';
import { activity } from '../helpers/audit-api.ts';
import { eventually } from '../helpers/eventually.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { call } from '../helpers/rest-call.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const envSecret = 'e'.repeat(64);
/** Code that keeps the history of customers. The second one spoils each name. */
const codeOf = (deployment: number) =>
  `import type { Agent } from '@vendor/cloud';
   export default (agent: Agent) => agent.customizeCollection('customers', (customers) => {
     customers.keepHistory();
     if (${deployment} === 2) customers.addHook('Before', 'Update', (context) => { context.patch.first_name += '?'; });
   });`;

/** A project, its platform, and a host that serves what is pushed. */
async function start() {
  const root = await createShopProject();
  const { clock, random, http, ...context } = flowContext(root);
  const sandbox = await startSandbox({
    store: `sqlite:${path.join(await temporaryFolder(), 'platform.sqlite')}`,
    ...{ port: { port: 0, isExact: false }, clock, random, logger: silentLogger, platformKey: 'a'.repeat(64) },
  });
  onTestFinished(() => sandbox.stop());
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  const variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: userToken };
  const signedIn = { ...context, clock, random, http, variables };
  const quit = new AbortController();
  const serving = new Map<number, PromiseWithResolvers<string>>();
  const servingOf = (deployment: number) => {
    const known = serving.get(deployment) ?? Promise.withResolvers<string>();
    serving.set(deployment, known);
    return known;
  };
  const session = serve(
    { ...signedIn, variables: {} },
    {
      ...{ serverUrl: sandbox.url, envSecret, name: 'one', bindAddress: '127.0.0.1', workers: 1, drainMs: 100 },
      ports: { agent: { port: 0, isExact: false }, mcp: { port: 0, isExact: false } },
      ...{ stateFolder: await temporaryFolder(), signal: quit.signal },
      tell: (event: ServeEvent) => {
        if (event.event === 'serving') servingOf(event.deployment).resolve(event.url);
      },
    },
  );
  onTestFinished(async () => {
    quit.abort();
    await session;
  });
  /** Push code, and wait until the host serves it. */
  const deploy = async (deployment: number) => {
    await writeFile(path.join(root, 'src/index.ts'), codeOf(deployment));
    await push(signedIn, { folder: root, message: `Deployment ${deployment}`, isDeployed: true });
    return servingOf(deployment).promise;
  };
  const agent = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  const token = () => sessionTokenFor({ platformUrl: sandbox.url, envSecret, variablesRevision: 0 });
  return { root, context: signedIn, deploy, agent, token };
}

it('audit undo takes back what one version of the code wrote, and says which writes name no version', {
  tags: 'long',
}, async () => {
  const { root, context, deploy, agent, token } = await start();
  const place = { folder: root, environment: undefined };
  const search = async (version?: number) => {
    const found = await searchLog(context, { ...place, isAdmin: false, limit: 100, type: 'write', version });
    if (found.kind !== 'activity') throw new TypeError('The log is that of the environment.');
    return found.logs.map(({ codeVersion, recordIds }) => [codeVersion, recordIds?.[0]]);
  };
  const agentUrl = await deploy(1);
  const asked = { agentUrl, token: await token() };
  const rename = async (id: number, name: string) => {
    const body = { data: { attributes: { first_name: name } } };
    expect((await call(asked, `/customers/${id}`, { method: 'PUT', body })).status).toBe(200);
  };
  const names = async () => {
    const read = (id: number) => call(asked, `/customers/${id}?fields[customers]=first_name`);
    const texts = await Promise.all([1, 2].map(async (id) => (await read(id)).text));
    return texts.map((text) => JSON.parse(text).data.attributes.first_name);
  };
  await rename(1, 'Grace');
  await rename(2, 'Mary');
  await deploy(2);
  await rename(2, 'Joan');
  // A host of an older version serves as well, and names no version.
  await eventually(async () => expect(await search(2)).toEqual([[2, '2']]));
  await agent.reportActivities([JSON.stringify(activity({ collection: 'customers', recordIds: ['3'] }))]);
  await rename(1, 'Ann');
  await eventually(async () => expect(await search(2)).toHaveLength(2));
  expect(await search()).toEqual([
    [2, '1'],
    [null, '3'],
    [2, '2'],
    [1, '2'],
    [1, '1'],
  ]);
  expect(await names()).toEqual(['Ann?', 'Joan?']);

  const asker = { developer: { name: 'Ada', email: 'ada@example.test' }, as: undefined, timezone: 'UTC' };
  const undo = (version: number) =>
    undoWrites(context, {
      ...{ ...place, ...asker, agentUrl, signal: new AbortController().signal, acceptsLoss: false },
      ...{ target: { version, since: undefined }, confirm: async () => true },
    });
  await expect(undo(1)).rejects.toMatchObject({ code: 'RECORD_CHANGED' });
  // The code of version 2 would spoil the names again. The third deployment is the code of version 1.
  await deploy(3);
  expect(await undo(2)).toMatchObject({ undone: [{ recordId: '1' }, { recordId: '2' }], left: [], unversioned: 1 });
  expect(await names()).toEqual(['Grace', 'Mary']);
  expect(await undo(9)).toMatchObject({ undone: [], left: [], unversioned: 0, isConfirmed: false });
});
