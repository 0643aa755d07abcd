import { describe, expect, it } from 'vitest';
import { selectCollections } from '#runtime/agent/assemble/select-collections';
import { createSqlDataSource } from '#runtime/index';
import { createShopFile } from '../../../../helpers/shop-agent.ts';

async function open(selection: Parameters<typeof selectCollections>[1]) {
  return selectCollections(createSqlDataSource(await createShopFile()), selection)();
}

describe('taking a part of a data source', () => {
  it('leaves collections out, and relations that lead to them', async () => {
    const source = await open({ include: ['orders', 'lines', 'customers'], exclude: ['customers'] });
    expect(source.collections.map(({ name }) => name).sort()).toEqual(['lines', 'orders']);
    const orders = source.collections.find(({ name }) => name === 'orders');
    expect(orders?.fields.has('customer')).toBe(false);
    expect(orders?.fields.has('lines')).toBe(true);
    await source.close();
  });

  it('queries under the new names', async () => {
    const source = await open({ rename: { customers: 'clients' } });
    const context = { timezone: 'UTC' };
    expect(await source.count('clients', undefined, context)).toBe(2);
    const orders = source.collections.find(({ name }) => name === 'orders');
    expect(orders?.fields.get('customer')).toMatchObject({ foreignCollection: 'clients' });
    await source.close();
  });

  it.each([
    ['include', { include: ['nope'] }],
    ['exclude', { exclude: ['nope'] }],
    ['rename', { rename: { nope: 'x' } }],
    ['rename', { rename: { customers: 'orders' } }],
  ])('refuses a wrong "%s"', async (option, selection) => {
    await expect(open(selection)).rejects.toMatchObject({
      code: 'AGENT_OPTION_INVALID',
      message: expect.stringContaining(`"${option}"`),
    });
  });
});
