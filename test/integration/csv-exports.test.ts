import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/exports/index.ts';
import { openShopTestAgent, type ShopTestAgent, startShopTestAgent } from '../helpers/shop-test-agent.ts';

const tables = `create table "x.csv" (id integer primary key, order_id integer references orders);
  insert into "x.csv" values (7, 1);
  create table "two\nlines" (id integer primary key); insert into "two\nlines" values (5);`;

function customize(agent: Agent): void {
  const [list, json, enumeration, negative] = [['=1', '2'], '@a', '+a', [-1, 2]];
  agent.customizeCollection('orders', (orders) =>
    orders
      .addOneToManyRelation('all.csv', 'x.csv', { originKey: 'order_id' })
      .addField('list', { columnType: ['String'], dependencies: ['id'], getValues: (all) => all.map(() => list) })
      .addField('json', { columnType: 'Json', dependencies: ['id'], getValues: (all) => all.map(() => json) })
      .addField('choice', {
        columnType: 'Enum',
        enumValues: ['+a'],
        dependencies: ['id'],
        getValues: (all) => all.map(() => enumeration),
      })
      .addField('low', {
        columnType: ['Number'],
        dependencies: ['id'],
        getValues: (all) => all.map(() => negative),
      }),
  );
}

describe('a file of records', () => {
  let shop: ShopTestAgent;
  beforeAll(async () => {
    shop = await openShopTestAgent({ customize, moreTables: tables });
  });
  afterAll(() => shop?.close());
  const collection = (name: string) => shop.client.collection(name);

  it('has a line of titles and one for each record, relations in columns', async () => {
    const fields = ['ref', 'total', 'placed_at', 'customer@@@name'];
    const sort = { field: 'id', ascending: false };
    expect(await collection('orders').exportCsvText({ fields, header: ['Ref', 'Total', 'At', 'Name'], sort })).toBe(
      'Ref,Total,At,Name\nA-4,40.00,,\nA-3,,,Ünal\nA-2,20.00,2024-05-01T10:00:00.000Z,Zed\nA-1,10.50,2024-04-01T10:00:00.000Z,Zed\n',
    );
  });

  it('is restricted as lists are, and to related records', async () => {
    const fields = ['ref'];
    expect(await collection('orders').exportCsvText({ fields, search: 'A-2' })).toBe('ref\nA-2\n');
    expect(await collection('customers').relation('orders', 2).exportCsvText({ fields })).toBe('ref\nA-3\n');
  });

  it('lets no list and no document be taken for a formula', async () => {
    const fields = ['list', 'json', 'choice', 'low'];
    expect(await collection('orders').exportCsvText({ fields, search: 'A-1' })).toBe(
      `list,json,choice,low\n"'=1,2",'@a,'+a,"-1,2"\n`,
    );
  });

  it('is not confused with lists of a collection called ….csv, and takes names with line breaks', async () => {
    const all = collection('orders').relation('all.csv', 1);
    const only = { fields: ['id'] };
    for (const reader of [collection('x.csv'), all]) {
      expect(await reader.list(only)).toMatchObject([{ id: 7 }]);
      expect(await reader.exportCsvText(only)).toBe('id\n7\n');
    }
    expect(await collection('two\nlines').exportCsvText(only)).toBe('id\n5\n');
  });

  it('quotes what has to be, and lets no text be taken for a formula', async () => {
    const customers = collection('customers');
    const { id } = await customers.create({ name: '=1+1,"x"\n' });
    const filters = { field: 'id', operator: 'Equal', value: id };
    expect(await customers.exportCsvText({ fields: ['name'], filters })).toBe(`name\n"'=1+1,""x""\n"\n`);
  });

  it.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
    'guards the text %j',
    async (name) => {
      const customers = collection('customers');
      await customers.create({ name });
      const text = await customers.exportCsvText({ fields: ['name'], sort: { field: 'id', ascending: false } });
      expect(text.replaceAll('"', '').startsWith(`name\n'${name}\n`)).toBe(true);
    },
  );
});

it('a file of records ends at the limit that the agent has', async () => {
  const { client } = await startShopTestAgent({ agentOptions: { limitExportSize: 3 } });
  expect(await client.collection('orders').exportCsvText({ fields: ['id'] })).toBe('id\n1\n2\n3\n');
});
