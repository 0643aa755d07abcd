import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { temporaryDataSource } from './temporary-database.ts';

/** Tables of every kind of relation. */
export const relatedTables = `
  create table customers (id integer primary key, name text not null, code text, city text);
  create table orders (id integer primary key, reference text, total integer default 3, customer_id integer references customers);
  create table tags (id integer primary key, label text);
  create table order_tags (order_id integer not null references orders, tag_id integer not null references tags, primary key (order_id, tag_id));
  create table marks (id integer primary key, order_id integer references orders, tag_id integer references tags);
  create table shelves (id integer primary key, place text);
`;

export type Customize = (agent: Agent) => unknown;

/** Each says something else of the tables, of which some show themselves in other collections. */
export const customizations: Readonly<Record<string, Customize>> = {
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

/** The model of a data source with these customizations. */
export async function compiled(source: DataSource, customize: Customize) {
  const collector = createDeclarationCollector();
  await customize(collector.agent);
  return compileModel([source], await collector.finish());
}

/** How often `look` has read `fact` of a column of a table that nobody customizes, after each of several models of the same tables. */
export async function looksAtUntouchedTable(
  fact: 'enumValues' | 'defaultValue',
  look: (model: Awaited<ReturnType<typeof compiled>>) => unknown,
): Promise<readonly number[]> {
  const source = await temporaryDataSource(relatedTables);
  const column = source.collections.find(({ name }) => name === 'shelves')?.fields.get('place');
  let looks = 0;
  const count = () => {
    looks++;
    return undefined;
  };
  Object.defineProperty(column, fact, { get: count, enumerable: true });
  const after: number[] = [];
  for (const customize of Object.values(customizations).slice(0, 6)) {
    look(await compiled(source, customize));
    after.push(looks);
  }
  return after;
}
