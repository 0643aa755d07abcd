import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import type { TestAgent } from '../../src/exports/agent-testing.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import * as examples from '../unit/docs/testing-example.ts';

const { customize: _customize, startShop, anyAgent, ...onShop } = examples;
const folder = path.join(import.meta.dirname, '../unit/docs');

describe('the page about testing', () => {
  let shop: TestAgent;

  beforeAll(async () => {
    shop = await startShop();
  });
  afterAll(() => shop?.close());
  beforeEach(async () => {
    await shop.client.clearPermissionOverride();
    await shop.client.setFixtures({});
  });

  it('has the examples that are compiled here, and no other', async () => {
    const page = await readFile(path.join(folder, '../../../docs/testing.md'), 'utf8');
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim());
    const [, ...functions] = (await readFile(path.join(folder, 'testing-example.ts'), 'utf8')).split(/\n(?=export )/);
    expect(blocks).toEqual(functions.map((each) => each.replace('export ', '').trim()));
  });

  it.each(Object.entries(onShop))('has an example of %s that holds', async (_name, example) => {
    expect.hasAssertions();
    await example(shop);
  });

  it('has an example with an agent that runs elsewhere', async () => {
    const schemaPath = path.join(await temporaryFolder(), 'schema.json');
    await anyAgent(async ({ SERVICE_SERVER_URL: serverUrl }) => {
      const started = createAgent({
        envSecret: 'e'.repeat(64),
        authSecret: 'the auth secret of the agent',
        serverUrl,
        schemaPath,
        logger: () => undefined,
      })
        .addDataSource(createSqlDataSource(await createShopFile()))
        .mountOnStandaloneServer(0);
      onTestFinished(() => started.stop());
      await started.start();
      return { url: `http://127.0.0.1:${started.standaloneServerPort}`, schemaPath };
    });
  });
});
