import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { collectionNamed } from '#runtime/model/compiled-model';
import { hasKey, packId, unpackId } from '#runtime/model/record-id';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

it('an id is split at "|" only where the key has several columns', async () => {
  const tables = `create table names (name text primary key not null);
    create table lines (order_id integer not null, sku text not null, primary key (order_id, sku));`;
  const model = compileModel([await temporaryDataSource(tables)], await createDeclarationCollector().finish());
  const names = collectionNamed(model, 'names');
  for (const name of ['a|b', '|', 'a||']) expect(unpackId(names, packId(names, { name }))).toEqual([name]);
  const lines = collectionNamed(model, 'lines');
  expect(unpackId(lines, packId(lines, { order_id: 4, sku: 'ab' }))).toEqual([4, 'ab']);
  expect(() => unpackId(lines, '4|a|b')).toThrowError('has 3 parts');
});

it('an id has empty parts where the key is of texts, and says what to do about a value that holds "|"', async () => {
  const tables = `create table pairs (a text not null, b text not null, primary key (a, b));
    create table lines (order_id integer not null, sku text not null, primary key (order_id, sku));
    create table names (name text primary key not null);`;
  const model = compileModel([await temporaryDataSource(tables)], await createDeclarationCollector().finish());
  const [pairs, lines, names] = ['pairs', 'lines', 'names'].map((name) => collectionNamed(model, name));
  if (!pairs || !lines || !names) throw new Error('The tables are there.');
  for (const record of [
    { a: '', b: 'x' },
    { a: 'x', b: '' },
    { a: '', b: '' },
  ]) {
    expect(unpackId(pairs, packId(pairs, record))).toEqual([record.a, record.b]);
  }
  expect(unpackId(lines, '4|')).toEqual([4, '']);
  expect(() => unpackId(lines, '|x')).toThrowError('"" does not fit the key "order_id"');
  expect(() => unpackId(names, '')).toThrowError('The id is empty.');
  expect(packId(names, { name: null })).toBe('');
  expect(packId(pairs, { a: 'a', b: null })).toBe('');
  expect([null, '', 'a'].map((name) => hasKey(names, { name }))).toEqual([false, false, true]);
  expect([null, '', 'a'].map((b) => hasKey(pairs, { a: '', b }))).toEqual([false, true, true]);
  expect(() => unpackId(pairs, 'p|q|y')).toThrowError(
    expect.objectContaining({ nextSteps: [expect.stringContaining('find such a record by a filter on a, b')] }),
  );
});
