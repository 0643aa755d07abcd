import { expect, it } from 'vitest';
import type { Agent } from '../../src/exports/index.ts';
import { startShopTestAgent } from '../helpers/shop-test-agent.ts';

const shout = (dependency: string) => ({
  columnType: 'String' as const,
  dependencies: [dependency],
  getValues: (records: readonly Readonly<Record<string, unknown>>[]) =>
    records.map((record) => String(record[dependency]).toUpperCase()),
});

async function startShop(ignoreMissingSchemaElementErrors: boolean) {
  const lines: string[] = [];
  const customize = (agent: Agent) => {
    agent.customizeCollection('customers', (customers) =>
      customers.addField('shout', shout('name')).addField('broken', shout('nmae')),
    );
  };
  const logger = (level: string, message: string) => void lines.push(`${level}: ${message}`);
  const { client } = await startShopTestAgent({
    customize,
    agentOptions: { ignoreMissingSchemaElementErrors, logger, loggerLevel: 'Warn' },
  });
  return { client, lines };
}

it('an agent serves what is there and warns of what is not', async () => {
  const { client, lines } = await startShop(true);
  const [first] = await client.collection('customers').list({ sort: { field: 'id', ascending: true } });
  expect(first).toMatchObject({ shout: 'ZED' });
  expect(first).not.toHaveProperty('broken');
  expect(lines.filter((line) => line.includes('nmae'))).toEqual([
    expect.stringMatching(
      /^Warn: The field "broken" of "customers" depends on "nmae": .+absent-elements\.test\.ts:\d+\)$/,
    ),
  ]);
});

it('an agent does not start where nothing may be passed over', async () => {
  await expect(startShop(false)).rejects.toMatchObject({
    code: 'CUSTOMIZATION_INVALID',
    message: expect.stringContaining('"nmae"'),
  });
});
