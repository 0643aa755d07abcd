import { describe, expect, it } from 'vitest';
import type { ContextCollection } from '#runtime/customizer/customization-context';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { call, customizedShop, where } from './shop.ts';

const server = usePostgresServer();

const serializable = `do $$ begin
  execute format('alter database %I set default_transaction_isolation = serializable', current_database());
end $$`;

const openSerializable: OpenTables = (tables) =>
  server.openDataSource([...createTablesSql('postgres', tables), serializable].join(';\n'));

const first = { conditionTree: where('id', 'Equal', 1) };

async function addLetter(collection: ContextCollection): Promise<void> {
  const [customer] = await collection.list(first, ['name']);
  await collection.update(first, { name: `${customer?.['name']}+` });
}

/** How many of two at once were made; what was not has to be refused as busy. */
async function madeAtOnce(work: () => Promise<unknown>): Promise<number> {
  const ended = await Promise.allSettled([work(), work()]);
  const refused = ended.filter((one) => one.status === 'rejected');
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'DATABASE_BUSY' });
  return ended.length - refused.length;
}

describe.each<[string, OpenTables]>([
  ['memory', openMemory],
  ['SQLite', openSqliteTables],
  ['PostgreSQL with serializable transactions', openSerializable],
])('code that reads a value and writes what follows from it, on %s', (_name, open) => {
  it('loses no change in a transaction of its own: each is made, or refused', async () => {
    const { service, values } = await customizedShop(open, () => undefined);
    const context = service.contextOf('customers', call);
    const made = await madeAtOnce(() => context.inTransaction(({ collection }) => addLetter(collection)));
    expect(made).toBeGreaterThan(0);
    expect(await values('customers', 'name', where('id', 'Equal', 1))).toEqual([`Ada${'+'.repeat(made)}`]);
  });

  it('loses no change in the transaction of a write, in a hook before it', async () => {
    const { service, values } = await customizedShop(open, (agent) =>
      agent.customizeCollection('customers', (on) =>
        on.addHook('Before', 'Update', ({ inTransaction }) => inTransaction(({ collection }) => addLetter(collection))),
      ),
    );
    const made = await madeAtOnce(() => service.update('customers', [1], { city: 'Brest' }, call));
    expect(made).toBeGreaterThan(0);
    expect(await values('customers', 'name', where('id', 'Equal', 1))).toEqual([`Ada${'+'.repeat(made)}`]);
  });
});
