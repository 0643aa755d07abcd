import { createHash } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createSqlDataSource } from '#runtime/index';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { describeKeyPlaces, type KeyedTable, keyedTables } from '../data-source/key-place-tests.ts';

const server = usePostgresServer();

/** A word whose order by code points is not that of a language: case, accents and signs. */
const word = (number: number) => `${['Ä', 'a', 'B', '_', 'b', 'É'][number % 6]}${digest(number).slice(0, 12)}`;
const digest = (number: number) => createHash('sha1').update(String(number)).digest('hex');

const tables: Readonly<Record<string, KeyedTable>> = {
  words: { key: { id: 'text collate "en-x-icu"' }, row: (number) => `'${word(number)}'` },
  short_words: { key: { id: 'varchar(20) collate "de-x-icu"' }, row: (number) => `'${word(number)}'` },
  blanks: { key: { id: 'char(20) collate "en-x-icu"' }, row: (number) => `'${word(number)}'` },
  folded: { key: { id: 'text collate folding' }, row: (number) => `'${word(number)}'` },
  pairs: {
    key: { part: 'varchar(20) collate "en-x-icu"', place: 'int' },
    row: (number) => `'${['B', 'a', 'Ä'][number % 3]}', ${number}`,
  },
  moods: {
    key: { mood: 'mood', at: 'timestamptz' },
    row: (number) => `'${number % 2 ? 'sad' : 'ok'}', timestamptz '2024-01-01' + ${number} * interval '1 microsecond'`,
  },
};

let source: DataSource;
beforeAll(async () => {
  const { host, port, user, password } = server.parameters();
  const collation = `create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`;
  const script = [collation, "create type mood as enum ('sad', 'ok')", ...keyedTables(tables), 'analyze'].join(';');
  const database = await server.createDatabase(script);
  source = await createSqlDataSource({ dialect: 'postgres', host, port, database, username: user, password })();
});
afterAll(() => source?.close());

describeKeyPlaces(tables, /\bSort\b/, () => source);
