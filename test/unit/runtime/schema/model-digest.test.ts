import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { modelForRole } from '#runtime/model/model-for-role';
import { modelDigest } from '#runtime/schema/model-digest';
import { wholeCollection } from '#runtime/schema/whole-collection';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text not null, code text, city text);
  create table orders (id integer primary key, reference text, total integer default 3, customer_id integer references customers);
  create table tags (id integer primary key, label text);
  create table order_tags (order_id integer not null references orders, tag_id integer not null references tags, primary key (order_id, tag_id));
  create table marks (id integer primary key, order_id integer references orders, tag_id integer references tags);
  create table shelves (id integer primary key, place text);
`;

type Customize = (agent: Agent) => unknown;

/** Each says something else of the tables, of which some show themselves in other collections. */
const customizations: Readonly<Record<string, Customize>> = {
  nothing: () => undefined,
  'a computed field': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addField('half', {
        columnType: 'Number',
        dependencies: ['total'],
        getValues: (records) => records.map(({ total }) => Number(total) / 2),
      }),
    ),
  'a segment': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addSegment('Large', { field: 'total', operator: 'GreaterThan', value: 9 }),
    ),
  'a chart': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addChart('Sum', async (_context, result) => result.value(1)),
    ),
  'an action': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addAction('Send', { scope: 'Single', execute: (_context, result) => result.success('Sent') }),
    ),
  'the same action with a form': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addAction('Send', {
        scope: 'Single',
        form: [{ label: 'Weight', type: 'Number', defaultValue: 1 }],
        execute: (_context, result) => result.success('Sent'),
      }),
    ),
  'a default that is a bigint': (agent) =>
    agent.customizeCollection('orders', (orders) =>
      orders.addAction('Send', {
        scope: 'Single',
        form: [{ label: 'Weight', type: 'Number', defaultValue: 1n as unknown as number }],
        execute: (_context, result) => result.success('Sent'),
      }),
    ),
  'a validation': (agent) =>
    agent.customizeCollection('customers', (customers) => customers.addFieldValidation('city', 'Present')),
  'another name of a table that others lead to': (agent) =>
    agent.customizeCollection('customers', (customers) => customers.renameField('name', 'called')),
  'fewer fields of a table that others lead to': (agent) =>
    agent.customizeCollection('customers', (customers) => customers.removeField('name')),
  'no links': (agent) => agent.removeCollection('order_tags'),
  'a relation': (agent) =>
    agent.customizeCollection('shelves', (shelves) =>
      shelves.addManyToOneRelation('owner', 'customers', { foreignKey: 'id' }),
    ),
  'a table less': (agent) => agent.removeCollection('shelves'),
  'a search that is off': (agent) => agent.customizeCollection('shelves', (shelves) => shelves.disableSearch()),
  'a count that is off': (agent) => agent.customizeCollection('shelves', (shelves) => shelves.disableCount()),
};

async function compiled(source: DataSource, customize: Customize) {
  const collector = createDeclarationCollector();
  await customize(collector.agent);
  return compileModel([source], await collector.finish());
}

/** Everything that is to be seen of a model. */
function descriptionOf(model: Awaited<ReturnType<typeof compiled>>): string {
  const described = [...model.collections.values()].map((collection) => wholeCollection(model, collection, '/service'));
  return JSON.stringify(described, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

describe('the digest of a model', () => {
  it('differs wherever something else is to be seen', async () => {
    const source = await temporaryDataSource(script);
    const seen = new Map<string, string>();
    for (const [name, customize] of Object.entries(customizations)) {
      const model = await compiled(source, customize);
      const description = descriptionOf(model);
      expect([...seen.keys()], name).not.toContain(description);
      const digest = modelDigest(model, '/service');
      expect([...seen.values()], name).not.toContain(digest);
      seen.set(description, digest);
    }
  });

  it('differs where the rights of a role close the keys that links are made of', async () => {
    const keys = { originKey: 'order_id', foreignKey: 'tag_id' };
    const whole = await compiled(await temporaryDataSource(script), (agent) =>
      agent.customizeCollection('orders', (orders) => orders.addManyToManyRelation('marked', 'tags', 'marks', keys)),
    );
    const closed = (collection: string, field: string) => {
      const rule = new Map([[field, { read: true, filter: true, write: false }]]);
      const rules = [{ fields: rule, reads: true, edits: true, adds: true }];
      return modelForRole(whole, { key: `${collection}:${field}`, collections: new Map([[collection, rules]]) });
    };
    const models = [whole, closed('marks', 'tag_id'), closed('orders', 'customer_id'), closed('orders', 'total')];
    expect(new Set(models.map(descriptionOf)).size).toBe(models.length);
    expect(new Set(models.map((model) => modelDigest(model, '/service'))).size).toBe(models.length);
  });

  it('is the same whichever models of the tables came before it', async () => {
    const source = await temporaryDataSource(script);
    for (const customize of [...Object.values(customizations), ...Object.values(customizations).reverse()]) {
      const afresh = modelDigest(await compiled(await temporaryDataSource(script), customize), '/service');
      expect(modelDigest(await compiled(source, customize), '/service')).toBe(afresh);
    }
  });

  it('looks only once at a table that nobody customizes', async () => {
    const source = await temporaryDataSource(script);
    const column = source.collections.find(({ name }) => name === 'shelves')?.fields.get('place');
    let looks = 0;
    const count = () => {
      looks++;
      return undefined;
    };
    Object.defineProperty(column, 'enumValues', { get: count, enumerable: true });
    for (const customize of Object.values(customizations).slice(0, 6)) {
      modelDigest(await compiled(source, customize), '/service');
      expect(looks).toBe(1);
    }
  });
});
