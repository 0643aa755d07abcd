import { describe, expect, it } from 'vitest';
import type { CollectionClient, PlainCondition, TestFixtures } from '../../src/exports/agent-testing.ts';
import { startShopTestAgent } from '../helpers/shop-test-agent.ts';

const caller = 'ada@example.test';

interface Access {
  /** The collections that the caller may read. */
  readonly readable: readonly string[];
  /** The customers that the caller sees; all of them without it. */
  readonly scope?: { readonly field: string; readonly operator: 'equal'; readonly value: string };
}

function fixturesOf({ readable, scope }: Access): TestFixtures {
  const rights = ['customers', 'orders', 'lines'].map((name) => [
    name,
    { browse: true, edit: true, read: readable.includes(name) },
  ]);
  return {
    roles: { callers: { collections: Object.fromEntries(rights) } },
    teams: { North: { collections: { customers: scope ? { scope } : {} } } },
    users: [{ email: caller, role: 'callers', team: 'North' }],
  };
}

const leaf = (field: string, value: string) => ({ field, operator: 'equal', value }) as const;
const paid = leaf('orders:status', 'paid');

async function idsOf(customers: CollectionClient, filters?: PlainCondition): Promise<unknown[]> {
  const records = await customers.list({ ...(filters && { filters }), sort: { field: 'id', ascending: true } });
  return records.map(({ id }) => id);
}

describe('a filter through a relation to many, over REST', () => {
  it('finds the records with a related one that fulfils it', async () => {
    const { client } = await startShopTestAgent();
    const customers = client.collection('customers');
    expect(await idsOf(customers, paid)).toEqual([1]);
    expect(await customers.count({ filters: paid })).toBe(1);
    expect(await idsOf(customers, leaf('orders:lines:sku', 'ab'))).toEqual([1]);
    expect(await idsOf(customers, { field: 'orders:status', operator: 'not_equal', value: 'paid' })).toEqual([1, 2]);
  });

  it('is forbidden where the caller may not read the collection it ends in', async () => {
    const { client } = await startShopTestAgent({ fixtures: fixturesOf({ readable: ['customers', 'orders'] }) });
    const customers = client.as(caller).collection('customers');
    expect(await idsOf(customers, paid)).toEqual([1]);
    const hidden = leaf('orders:lines:sku', 'ab');
    for (const filters of [hidden, { aggregator: 'or', conditions: [paid, hidden] }] as const) {
      const refusal = { status: 403, responseText: expect.stringContaining('lines') };
      await expect(customers.list({ filters })).rejects.toMatchObject(refusal);
      await expect(customers.count({ filters })).rejects.toMatchObject(refusal);
    }
  });

  it('may be the scope of a collection, which then holds for writes too', async () => {
    const fixtures = fixturesOf({ readable: ['customers', 'orders', 'lines'], scope: paid });
    const { client } = await startShopTestAgent({ fixtures });
    const customers = client.as(caller).collection('customers');
    expect(await idsOf(customers)).toEqual([1]);
    await expect(customers.getOne(2)).rejects.toMatchObject({ status: 404 });
    expect(await customers.update(1, { name: 'x' })).toMatchObject({ id: 1, name: 'x' });
    expect(await customers.update(2, { name: 'x' })).toBeNull();
  });

  it('is refused in words where it cannot be answered', async () => {
    const { client } = await startShopTestAgent({
      customize: (agent) => {
        agent.customizeCollection('orders', (orders) =>
          orders.addField('loud', {
            columnType: 'String',
            dependencies: ['ref'],
            getValues: (records) => records.map(({ ref }) => String(ref)),
          }),
        );
      },
    });
    const customers = client.collection('customers');
    const sort = { field: 'orders.status', ascending: true };
    for (const [options, words] of [
      [{ filters: leaf('orders:loud', 'x') }, 'the field cannot be filtered'],
      [{ filters: leaf('orders', 'x') }, 'is a relation'],
      [{ filters: leaf('name:x', 'x') }, 'is not a relation'],
      [{ sort }, 'does not lead to one record'],
    ] as const) {
      await expect(customers.list(options)).rejects.toMatchObject({
        status: 400,
        responseText: expect.stringContaining(words),
      });
    }
  });
});
