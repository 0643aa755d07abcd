import { expect, it } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { call } from '../helpers/rest-call.ts';

const shout = (dependency: string) => ({
  columnType: 'String' as const,
  dependencies: [dependency],
  getValues: (records: readonly Readonly<Record<string, unknown>>[]) =>
    records.map((record) => String(record[dependency]).toUpperCase()),
});

async function createShop(ignoreMissingSchemaElementErrors: boolean) {
  const lines: string[] = [];
  const shop = await createEmbeddedShop({
    ignoreMissingSchemaElementErrors,
    logger: (level, message) => lines.push(`${level}: ${message}`),
  });
  shop.agent
    .addDataSource(createSqlDataSource(shop.databaseUri))
    .customizeCollection('customers', (customers) =>
      customers.addField('shout', shout('name')).addField('broken', shout('nmae')),
    )
    .mountOnStandaloneServer(0);
  return { ...shop, lines };
}

it('an agent serves what is there and warns of what is not', async () => {
  const { agent, token, lines } = await createShop(true);
  await agent.start();
  const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
  const { status, json } = await call({ agentUrl, token }, '/customers?sort=id', { timezone: 'UTC' });
  expect(status).toBe(200);
  const [first] = (json as { data: { attributes: object }[] }).data;
  expect(first?.attributes).toMatchObject({ shout: 'ZED' });
  expect(first?.attributes).not.toHaveProperty('broken');
  expect(lines.filter((line) => line.includes('nmae'))).toEqual([
    expect.stringMatching(
      /^Warn: The field "broken" of "customers" depends on "nmae": .+absent-elements\.test\.ts:\d+\)$/,
    ),
  ]);
});

it('an agent does not start where nothing may be passed over', async () => {
  const { agent } = await createShop(false);
  await expect(agent.start()).rejects.toMatchObject({
    code: 'CUSTOMIZATION_INVALID',
    message: expect.stringContaining('"nmae"'),
  });
});
