import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { watchCatalogue } from '../../../../../src/runtime/data-sources/sql/catalogue-watch.ts';
import type { SqlEngine } from '../../../../../src/runtime/data-sources/sql/sql-engine.ts';
import type { TableDescription } from '../../../../../src/runtime/data-sources/tables/table-description.ts';

const orders = (nativeType: string, type: 'Number' | 'String'): TableDescription => ({
  name: 'orders',
  isView: false,
  columns: [
    {
      name: 'code',
      nativeType,
      type,
      isExact: false,
      isNullable: true,
      isGenerated: false,
      isAutoIncrement: false,
      hasDefault: false,
    },
  ],
  primaryKey: ['code'],
  foreignKeys: [],
  uniqueKeys: [],
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface WatchedState {
  fingerprint: string;
  table: TableDescription;
  isAway: boolean;
  onFingerprint?: (() => Promise<string>) | undefined;
  onStatement?: () => Promise<never>;
}

/** A watch over a database that a test changes, and what it asked and told. */
function watched() {
  const state: WatchedState = { fingerprint: 'a', table: orders('int', 'Number'), isAway: false };
  const asked = { fingerprints: 0, catalogues: 0, forgotten: 0 };
  const told: string[] = [];
  const engine = {
    fingerprint: async () => {
      asked.fingerprints += 1;
      if (state.isAway) throw cloudError('DATABASE_UNREACHABLE', 'Nobody answers.', 'Start it.');
      return state.onFingerprint?.() ?? state.fingerprint;
    },
    introspect: async () => {
      asked.catalogues += 1;
      return { tables: [state.table], warnings: [] };
    },
    forgetStatements: () => {
      asked.forgotten += 1;
    },
    read: async () => (await state.onStatement?.()) ?? [],
    transaction: (work) => {
      const run = async () => (await state.onStatement?.()) ?? 0;
      return work({ all: async () => [], run });
    },
  } as Partial<SqlEngine> as SqlEngine;
  const watch = watchCatalogue(engine, { tables: [state.table], fingerprint: 'a' }, (sentence) => told.push(sentence));
  return { state, asked, told, watch };
}

it('asks the database once a second at most, and once for all writes of that moment', async () => {
  const { asked, watch } = watched();
  await watch.look();
  expect(asked.fingerprints).toBe(0);
  vi.advanceTimersByTime(1000);
  await Promise.all([watch.look(), watch.look(), watch.look()]);
  await watch.look();
  expect(asked).toEqual({ fingerprints: 1, catalogues: 0, forgotten: 0 });
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(asked.fingerprints).toBe(2);
});

it('asks beside reads when nobody has for ten seconds', async () => {
  const { asked, watch } = watched();
  const read = () => watch.watchedEngine.read('select 1', [], { timezone: 'UTC' });
  vi.advanceTimersByTime(10_000);
  await read();
  expect(asked.fingerprints).toBe(0);
  vi.advanceTimersByTime(1000);
  await read();
  await read();
  expect(asked.fingerprints).toBe(1);
});

it('keeps statements and connections where the tables are as before', async () => {
  const { state, asked, told, watch } = watched();
  state.fingerprint = 'b';
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(asked).toEqual({ fingerprints: 1, catalogues: 1, forgotten: 0 });
  expect(told).toEqual([]);
});

it('refuses to write a table until its column holds again what it did', async () => {
  const { state, asked, told, watch } = watched();
  Object.assign(state, { fingerprint: 'b', table: orders('varchar(9)', 'String') });
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(() => watch.assertWritable('orders')).toThrow(/from int to varchar\(9\)\. Nothing was written/);
  expect(() => watch.assertWritable('customers')).not.toThrow();
  expect(told).toEqual([expect.stringContaining('writes to the table are refused')]);
  Object.assign(state, { fingerprint: 'c', table: orders('int', 'Number') });
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(() => watch.assertWritable('orders')).not.toThrow();
  expect(asked.forgotten).toBe(2);
});

/** The statement fails as it does after `orders` has lost its column, while a look is under way that asked before. */
function failing() {
  const { state, watch } = watched();
  const asked = Promise.withResolvers<string>();
  const failed = cloudError('DATABASE_QUERY_FAILED', 'The database lacks something.', 'Look at the log.');
  state.onFingerprint = () => asked.promise;
  state.onStatement = async () => {
    Object.assign(state, { fingerprint: 'b', table: { ...state.table, columns: [] }, onFingerprint: undefined });
    asked.resolve('a');
    throw failed;
  };
  vi.advanceTimersByTime(1000);
  void watch.look();
  return { watch: watch.watchedEngine, failed };
}

const insert = 'insert into "orders" ("code") values (1)';
const changed = { code: 'DATABASE_TABLE_CHANGED', message: expect.stringContaining('"code" of "orders" is no longer') };

it('looks again after a failure where the look under way asked before the change', async () => {
  const read = failing().watch.read(insert, [], { timezone: 'UTC' });
  await expect(read).rejects.toMatchObject(changed);
  const write = failing().watch.transaction((inside) => inside.run(insert, []), { timezone: 'UTC' });
  await expect(write).rejects.toMatchObject(changed);
});

it('explains the failure of a transaction whose work goes on after the statement that failed', async () => {
  const { watch, failed } = failing();
  const transaction = watch.transaction(
    async (inside) => {
      await inside.run(insert, []).catch(() => undefined);
      throw failed;
    },
    { timezone: 'UTC' },
  );
  await expect(transaction).rejects.toMatchObject({ ...changed, cause: failed });
});

it('leaves a failure as it is where the statements need nothing that is gone, or no statement failed', async () => {
  const { watch, failed } = failing();
  const other = watch.transaction((inside) => inside.run('insert into "others" ("x") values (1)', []), {
    timezone: 'UTC',
  });
  await expect(other).rejects.toBe(failed);
  const own = watch.transaction(() => Promise.reject(failed), { timezone: 'UTC' });
  await expect(own).rejects.toBe(failed);
});

it('takes a database that does not answer for unchanged, and asks it again a second later', async () => {
  const { state, asked, watch } = watched();
  state.isAway = true;
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(() => watch.assertWritable('orders')).not.toThrow();
  Object.assign(state, { isAway: false, fingerprint: 'b', table: orders('varchar(9)', 'String') });
  vi.advanceTimersByTime(1000);
  await watch.look();
  expect(asked.fingerprints).toBe(2);
  expect(() => watch.assertWritable('orders')).toThrow();
});
