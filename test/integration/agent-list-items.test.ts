import { describe, expect, it } from 'vitest';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import type { Agent } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const products = async () =>
  createMemoryDataSource([
    {
      name: 'products',
      schema: {
        columns: [
          { name: 'id', type: 'Number' },
          { name: 'name', type: 'String' },
          { name: 'tags', type: ['String'] },
        ],
        primaryKey: ['id'],
      },
      records: [
        { id: 1, name: 'a', tags: ['x', 'y'] },
        { id: 2, name: 'b', tags: null },
      ],
    },
  ]);

const put = (agent: ShopAgent, target: string, item: unknown) =>
  call(agent, `/products/${target}`, { method: 'PUT', body: { data: { attributes: item } } });
const tagsOf = async (agent: ShopAgent, id: number) => {
  const { json } = await call(agent, `/products/${id}?fields[products]=tags`);
  return (json as { data: { attributes: { tags: unknown } } }).data.attributes.tags;
};

describe('an item of a list', () => {
  it('is replaced, or added behind the last', async () => {
    const agent = await startShopAgent(undefined, { dataSources: { main: products } });
    expect((await put(agent, '1/relationships/tags/0', 'X')).status).toBe(204);
    expect((await put(agent, '1/relationships/tags/2', 'z')).status).toBe(204);
    expect((await put(agent, '2/relationships/tags/0', 'first')).status).toBe(204);
    expect([await tagsOf(agent, 1), await tagsOf(agent, 2)]).toEqual([['X', 'y', 'z'], ['first']]);
  });

  it('asks for the right to edit, and for no other', async () => {
    let lists = 0;
    const countLists = (agent: Agent) =>
      void agent.customizeCollection('products', (collection) => {
        collection.addHook('Before', 'List', () => {
          lists += 1;
        });
      });
    const editor = platformOfRole({ rights: { products: { editEnabled: true } } });
    const agent = await startShopAgent(countLists, { dataSources: { main: products }, platform: editor });
    lists = 0;
    expect((await put(agent, '1/relationships/tags/0', 'X')).status).toBe(204);
    expect(lists).toBe(0);
    const browser = platformOfRole({ rights: { products: { browseEnabled: true, readEnabled: true } } });
    const other = await startShopAgent(countLists, { dataSources: { main: products }, platform: browser });
    expect((await put(other, '1/relationships/tags/0', 'X')).status).toBe(403);
  });

  it('does not overwrite what somebody else has changed meanwhile', async () => {
    const agent = await startShopAgent(
      (customizer: Agent) =>
        void customizer.customizeCollection('products', (collection) => {
          collection.addHook('Before', 'Update', async ({ collection: own, patch }) => {
            if (String(patch['tags']).endsWith('late')) {
              const first = { field: 'id', operator: 'Equal', value: 1 } as const;
              await own.update({ conditionTree: first }, { tags: ['theirs'] });
            }
          });
        }),
      { dataSources: { main: products } },
    );
    const { status, json } = await put(agent, '1/relationships/tags/2', 'late');
    expect([status, json]).toMatchObject([409, { errors: [{ name: 'ConflictError' }] }]);
  });

  it('has to be in a list, at a place that is there, and of its type', async () => {
    const agent = await startShopAgent(undefined, { dataSources: { main: products } });
    const statuses = await Promise.all([
      put(agent, '1/relationships/tags/3', 'z'),
      put(agent, '1/relationships/name/0', 'z'),
      put(agent, '1/relationships/tags/0', { no: 'text' }),
      put(agent, '9/relationships/tags/0', 'z'),
      put(agent, '1/relationships/tags/x', 'z'),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400, 404, 404]);
    expect(await tagsOf(agent, 1)).toEqual(['x', 'y']);
  });
});
