import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { collectionNamed } from '#runtime/model/compiled-model';
import { packedRecordId, type RecordId, readRecordId, recordIdArgument } from '#runtime/surfaces/mcp/tools/record-ids';
import { temporaryDataSource } from '../../../../../helpers/temporary-database.ts';

const tables = `create table users (id integer primary key);
  create table names (name text primary key not null);
  create table amounts (amount decimal(30,2) primary key not null);
  create table lines (order_id integer not null, sku text not null, primary key (order_id, sku));`;

async function keyOf(collection: string, id: RecordId): Promise<readonly unknown[]> {
  const model = compileModel([await temporaryDataSource(tables)], await createDeclarationCollector().finish());
  return readRecordId(collectionNamed(model, collection), id);
}

/** Ids that other servers take for a part of an address. */
const strangeIds = ['../orders/5', '..%2forders%2f5', '%2e%2e', 'a?b=1', 'a#b', 'a|b', '1e21', 'ünï💡', '__proto__'];

describe('the id of a record', () => {
  it.each(strangeIds)('is only a key: %s', async (id) => {
    expect(await keyOf('names', id)).toEqual([id]);
    expect(await keyOf('names', [id])).toEqual([id]);
  });

  it.each(strangeIds.filter((id) => id !== '1e21'))('is refused where the key is a number: %s', async (id) => {
    await expect(keyOf('users', id)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('may be the JSON text of a list where the key has several parts', async () => {
    expect(await keyOf('lines', '[4,"a|b"]')).toEqual([4, 'a|b']);
    expect(await keyOf('names', '["a"]')).toEqual(['["a"]']);
  });

  it('may be a number or its digits', async () => {
    expect(await keyOf('users', 5)).toEqual([5]);
    expect(await keyOf('users', '5')).toEqual([5]);
    expect(await keyOf('names', 5)).toEqual(['5']);
  });

  it('keeps every digit of a text, and is refused as a number that JSON has rounded', async () => {
    expect(await keyOf('users', '9007199254740993')).toEqual(['9007199254740993']);
    expect(await keyOf('amounts', '12345678901234567890.10')).toEqual(['12345678901234567890.10']);
    for (const rounded of [2 ** 53, 1e21]) {
      await expect(keyOf('users', rounded)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    }
  });

  it('is a list or the packed text where the key has several columns', async () => {
    expect(await keyOf('lines', [4, 'ab'])).toEqual([4, 'ab']);
    expect(await keyOf('lines', ['4', '007'])).toEqual([4, '007']);
    expect(await keyOf('lines', '4|ab')).toEqual([4, 'ab']);
    expect(await keyOf('lines', [4, 'a|b'])).toEqual([4, 'a|b']);
    for (const id of [4, '4', [4], '4|a|b', [4, 'a', 'b']]) {
      await expect(keyOf('lines', id)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    }
  });

  it('is never empty as a whole', async () => {
    await expect(keyOf('names', '')).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await keyOf('lines', [4, ''])).toEqual([4, '']);
    await expect(keyOf('lines', ['', 'a'])).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(recordIdArgument.safeParse([]).success).toBe(false);
  });

  it('is packed for reports', () => {
    expect([5, '5', [4, 'ab']].map((id) => packedRecordId(id as RecordId))).toEqual(['5', '5', '4|ab']);
  });
});
