import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text, city text);
  create table orders (id integer primary key, reference text, customer_id integer, payer_id integer);
  create table lines (id integer primary key, order_id integer references orders);
`;

async function compiled(source: DataSource, customize: (agent: Agent) => void) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([source], await collector.finish());
}

const joinedBy = (foreignKey: string) => (agent: Agent) => {
  agent.customizeCollection('orders', (orders) => orders.addManyToOneRelation('buyer', 'customers', { foreignKey }));
};

describe('models of the same tables', () => {
  it('share the fields of what nobody customized, with the tables and with one another', async () => {
    const source = await temporaryDataSource(script);
    const fields = source.collections.find(({ name }) => name === 'lines')?.fields;
    for (const foreignKey of ['customer_id', 'payer_id']) {
      const model = await compiled(source, joinedBy(foreignKey));
      expect(model.original.collections.get('lines')?.fields).toBe(fields);
      expect(model.collections.get('lines')?.fields).toBe(fields);
    }
  });

  it('publish as they are the collections that a new name does not concern', async () => {
    const source = await temporaryDataSource(script);
    const model = await compiled(source, (agent) => {
      agent.customizeCollection('customers', (customers) => customers.renameField('city', 'town'));
    });
    const isPublishedAsItIs = (name: string) => model.collections.get(name) === model.original.collections.get(name);
    expect(['customers', 'orders', 'lines'].map(isPublishedAsItIs)).toEqual([false, true, true]);
  });

  it('share the store, with its statements, as long as it joins the same', async () => {
    const source = await temporaryDataSource(script);
    const storeBy = async (foreignKey: string) =>
      (await compiled(source, joinedBy(foreignKey))).collections.get('orders')?.store;
    const first = await storeBy('customer_id');
    expect(first).not.toBe(source);
    expect(await storeBy('customer_id')).toBe(first);
    expect(await storeBy('payer_id')).not.toBe(first);
  });
});
