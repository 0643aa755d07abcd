#!/usr/bin/env bash
# mysql2 3.24.5: a connection that was lost gives its code to the statement under way, and to no statement after it.
#
# Guess: each statement on a lost connection fails with the code of the loss, PROTOCOL_CONNECTION_LOST or ECONNRESET, so code that looks
# at `code` knows that it may connect again.
# Seen (mysql2 3.24.5, MariaDB 10.11): the statement that runs while the server ends the connection has a code. One that is sent after it, as
# where code of a transaction has waited for something else, fails with "Can't add new command when connection is in closed state". That error has
# `fatal: true`, and neither `code`, `errno` nor `sqlState`: a program that sorts errors by their code takes it for a bug of its own.
set -euo pipefail
command -v mariadb-install-db mariadbd > /dev/null || { echo 'Install it first: apt-get install mariadb-server'; exit 1; }
case "$(mariadbd --version)" in *' 10.11.'*) ;; *) echo "skipped: $(mariadbd --version) is not 10.11"; exit 0 ;; esac
folder=$(mktemp -d)
trap 'kill "${server:-0}" 2> /dev/null; wait 2> /dev/null; rm -rf "$folder"' EXIT
user=$(id -un)
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal --user="$user" > /dev/null 2>&1
mariadbd --no-defaults --datadir="$folder/data" --user="$user" --skip-networking --socket="$folder/sock" > "$folder/log" 2>&1 &
server=$!
for _ in $(seq 100); do mariadb -S "$folder/sock" -u root -e 'select 1' > /dev/null 2>&1 && break; sleep 0.2; done
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund mysql2@3.24.5
cat > run.mjs <<'JS'
import { once } from 'node:events';
import mysql from 'mysql2/promise';

const connect = () => mysql.createConnection({ socketPath: 'sock', user: 'root' });
const killer = await connect();
const factsOf = ({ code, errno, sqlState, fatal, message }) => ({ code, errno, sqlState, fatal, message });
async function failure(connection, statement) {
  try {
    await connection.query(statement);
    return {};
  } catch (error) {
    return factsOf(error);
  }
}

const during = await connect();
const [running] = await Promise.all([
  failure(during, 'select sleep(30)'),
  killer.query(`kill ${during.threadId}`),
]);
const between = await connect();
await between.query('start transaction');
const lost = once(between.connection, 'error');
await killer.query(`kill ${between.threadId}`);
await lost;
const later = await failure(between, 'select 1');
await killer.end();
console.log('under way:', JSON.stringify(running));
console.log('after it: ', JSON.stringify(later));
const isAsSeen =
  typeof running.code === 'string' && later.fatal === true && later.code === undefined && later.errno === undefined && later.sqlState === undefined;
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
