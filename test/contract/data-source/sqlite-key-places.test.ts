import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { compileModel } from '#runtime/compile/compile-model';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createSqlDataSource } from '#runtime/index';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { allOf, describeKeyPlaces, type KeyedTable, keyedTables } from './key-place-tests.ts';

const word = (number: number) => {
  const digest = createHash('sha1').update(String(number)).digest('hex');
  return `${['Z', 'a', 'B', '_', 'b', 'É'][number % 6]}${digest.slice(0, 12)}`;
};

const tables: Readonly<Record<string, KeyedTable>> = {
  words: { key: { id: 'text' }, row: (number) => `'${word(number)}'` },
  folded: { key: { id: 'text collate nocase' }, row: (number) => `'${word(number)}'` },
  pairs: {
    key: { part: 'varchar(20) collate nocase', place: 'integer' },
    row: (number) => `'${['B', 'a', 'C'][number % 3]}', ${number}`,
  },
  instants: {
    key: { at: 'datetime' },
    row: (number) => `'2024-01-01 00:00:${(number / 100).toFixed(2).padStart(5, '0')}'`,
  },
};

/** SQLite tells milliseconds, so that records of this key show the same instant. */
const fineInstants: KeyedTable = {
  key: { at: 'datetime' },
  row: (number) => `'2024-01-01 00:00:00.${String(number).padStart(6, '0')}'`,
};

let folder: string;
let source: DataSource;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
  const storage = path.join(folder, 'data.sqlite');
  const connection = await openSqlite(storage);
  for (const statement of keyedTables({ ...tables, fine_instants: fineInstants })) connection.execute(statement);
  connection.close();
  source = await createSqlDataSource({ dialect: 'sqlite', storage })();
});
afterAll(async () => {
  await source?.close();
  await rm(folder, { recursive: true, force: true });
});

describeKeyPlaces(tables, /TEMP B-TREE/, () => source);

it('an export ends, and has every record, where several keys are shown as the same instant', async () => {
  const service = createRecordService(compileModel([source], []), everythingAllowed);
  const query = { collection: 'fine_instants', projection: ['at', 'grade'] };
  const exported = await allOf(await service.exportRecords(query, 2_000, callIn('UTC')));
  expect(exported).toHaveLength(1_200);
});
