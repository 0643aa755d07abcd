import { describe, expect, it } from 'vitest';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
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

describe('one item of a list', () => {
  it('is replaced, or added behind the last', async () => {
    const agent = await startShopAgent(undefined, { dataSources: { main: products } });
    expect((await put(agent, '1/relationships/tags/0', 'X')).status).toBe(204);
    expect((await put(agent, '1/relationships/tags/2', 'z')).status).toBe(204);
    expect((await put(agent, '2/relationships/tags/0', 'first')).status).toBe(204);
    expect([await tagsOf(agent, 1), await tagsOf(agent, 2)]).toEqual([['X', 'y', 'z'], ['first']]);
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
