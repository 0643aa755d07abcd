import { describe, expect, it } from 'vitest';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { createSelfTest } from '#runtime/agent/assemble/self-test';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text);
  create table orders (id integer primary key, reference text, customer_id integer references customers);
  insert into customers values (1, 'Ada');
  insert into orders values (1, 'A1', 1);
`;
const identity: AgentTokenClaims = {
  id: 1,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'L',
  team: 'Operations',
  renderingId: 1,
  role: 'Admin',
  permissionLevel: 'admin',
  tags: {},
};

/** A database, with the collections that are read. */
async function createWatchedSource() {
  const source = await temporaryDataSource(script);
  const asked: string[] = [];
  const watched: DataSource = {
    ...source,
    list: (query, context) => {
      asked.push(query.collection);
      return source.list(query, context);
    },
  };
  return { source: watched, asked };
}

async function modelOf(source: DataSource, customize: (agent: Agent) => void) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([source], await collector.finish());
}

const withLabel = (getValue: (reference: string) => string) => (agent: Agent) => {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('label', {
        columnType: 'String',
        dependencies: ['reference'],
        getValues: (records) => records.map(({ reference }) => getValue(String(reference))),
      })
      .addSegment('Named', { field: 'reference', operator: 'Present' }),
  );
};

describe('the self-test', () => {
  it('asks the database nothing that it asked last time, and calls every handler each time', async () => {
    const { source, asked } = await createWatchedSource();
    const selfTest = createSelfTest({ identity, mayDatabasesBeAway: false }, undefined);
    const labelled: string[] = [];
    const label = (mark: string) => (reference: string) => {
      labelled.push(mark + reference);
      return reference;
    };
    await selfTest(await modelOf(source, withLabel(label('first '))));
    expect(asked).toEqual(['orders', 'orders', 'customers']);
    await selfTest(await modelOf(source, withLabel(label('second '))));
    expect(asked).toHaveLength(3);
    expect(labelled).toEqual(['first A1', 'second A1']);
  });

  it('asks for what a handler newly depends on, and through a segment that changed', async () => {
    const { source, asked } = await createWatchedSource();
    const selfTest = createSelfTest({ identity, mayDatabasesBeAway: false }, undefined);
    await selfTest(await modelOf(source, withLabel(String)));
    asked.length = 0;
    const changed = (agent: Agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addField('label', {
            columnType: 'String',
            dependencies: ['reference', 'customer:name'],
            getValues: (records) => records.map(() => ''),
          })
          .addSegment('Named', { field: 'reference', operator: 'Equal', value: 'A1' }),
      );
    };
    await selfTest(await modelOf(source, changed));
    expect(asked).toEqual(['orders', 'orders']);
  });

  it('asks the database again after a failure, which a record may have caused', async () => {
    const { source, asked } = await createWatchedSource();
    const selfTest = createSelfTest({ identity, mayDatabasesBeAway: false }, undefined);
    await selfTest(await modelOf(source, withLabel(String)));
    const failing = withLabel(() => {
      throw new TypeError('not ready');
    });
    await expect(selfTest(await modelOf(source, failing))).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
    asked.length = 0;
    await selfTest(await modelOf(source, withLabel(String)));
    expect(asked).toEqual(['orders', 'orders', 'customers']);
  });

  it('calls the hooks on lists each time, also through a segment that is a condition', async () => {
    const { source } = await createWatchedSource();
    const selfTest = createSelfTest({ identity, mayDatabasesBeAway: false }, undefined);
    const calls: string[] = [];
    const withHook = (mark: string) => (agent: Agent) => {
      agent.customizeCollection('orders', (orders) =>
        orders
          .addSegment('Named', { field: 'reference', operator: 'Present' })
          .addHook('Before', 'List', () => void calls.push(mark)),
      );
    };
    for (const mark of ['first', 'second']) await selfTest(await modelOf(source, withHook(mark)));
    expect(calls).toEqual(['first', 'first', 'second', 'second']);
  });

  it('does not plan a segment again that is the same condition of the database', async () => {
    const { source } = await createWatchedSource();
    const selfTest = createSelfTest({ identity, mayDatabasesBeAway: false }, undefined);
    const planned: string[] = [];
    const watched = async (customize: (agent: Agent) => void) => {
      const model = await modelOf(source, customize);
      const orders = model.original.collections.get('orders') ?? expect.unreachable();
      const { segments } = orders;
      const noting = new Map(
        [...segments].map(([name, condition]) => [
          name,
          new Proxy(condition, {
            get: (target, key) => {
              if (key === 'operator') planned.push(name);
              return Reflect.get(target, key);
            },
          }),
        ]),
      );
      Object.assign(orders, { segments: noting });
      await selfTest(model);
      return planned.splice(0).length;
    };
    const first = await watched(withLabel(String));
    const again = await watched(withLabel(String));
    expect(again).toBeLessThan(first);
  });
});
