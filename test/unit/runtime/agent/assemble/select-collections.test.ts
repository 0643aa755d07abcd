import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { selectCollections, selectNamed } from '#runtime/agent/assemble/select-collections';
import { createSqlDataSource } from '#runtime/index';
import { createShopFile } from '../../../../helpers/shop-agent.ts';

async function open(selection: Parameters<typeof selectCollections>[1]) {
  return selectCollections(createSqlDataSource(await createShopFile()), selection, 'addDataSource')();
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

  it('puts a prefix before every name', async () => {
    const source = await open({ include: ['customers', 'orders'], rename: 'old_' });
    expect(source.collections.map(({ name }) => name).sort()).toEqual(['old_customers', 'old_orders']);
    expect(await source.count('old_customers', undefined, { timezone: 'UTC' })).toBe(2);
    const orders = source.collections.find(({ name }) => name === 'old_orders');
    expect(orders?.fields.get('customer')).toMatchObject({ foreignCollection: 'old_customers' });
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

  it.each<[string, () => unknown, string]>([
    [
      'an option of addDataSource',
      () => selectCollections(createSqlDataSource('sqlite:./x'), { includ: [] } as never, 'addDataSource'),
      'addDataSource has no option "includ". Did you mean "include"?',
    ],
    [
      'an option of createSqlDataSource',
      () => createSqlDataSource('sqlite:./x', { poolsize: 3 } as never),
      'createSqlDataSource has no option "poolsize". Did you mean "poolSize"?',
    ],
    [
      'a part of a connection',
      () => createSqlDataSource({ dialect: 'sqlite', storage: './x', hots: 'x' } as never),
      'createSqlDataSource has no option "hots". Did you mean "host"?',
    ],
  ])('tells the nearest one of %s that there is not', (_what, attempt, message) => {
    expect(attempt).toThrow(expect.objectContaining({ code: 'AGENT_OPTION_INVALID', message }));
  });

  it('names the nearest collection for a name that does not exist', async () => {
    await expect(open({ exclude: ['custmers'] })).rejects.toThrow('Did you mean "customers"?');
  });
});

describe('a data source of a project', () => {
  it('says which one it is when it cannot be opened', async () => {
    const away = cloudError('DATABASE_AUTHENTICATION_FAILED', 'The password is wrong.', 'Correct it.', {
      safeDetails: { sqlState: '28P01' },
    });
    await expect(selectNamed('archive', () => () => Promise.reject(away), {})()).rejects.toMatchObject({
      code: 'DATABASE_AUTHENTICATION_FAILED',
      message: 'The data source "archive" in vendor-cloud.json cannot be opened. The password is wrong.',
      nextSteps: ['Correct it.'],
      safeDetails: { sqlState: '28P01' },
      cause: away,
    });
    await expect(selectNamed('shop', () => createSqlDataSource('postgres://h:99999/x'), {})()).rejects.toMatchObject({
      code: 'DATABASE_URI_INVALID',
      message: expect.stringContaining('The data source "shop" in vendor-cloud.json'),
    });
  });
});
