#!/usr/bin/env bash
# MySQL 9.7: one number bound to a prepared statement changes what its later texts mean: '007' is stored as '7'.
#
# Guess: each execution brings its own types; a text bound to a varchar or decimal column is that text, whatever was bound before.
# Seen (9.7.4, mysql2 3.24.5): after one execution with the number 7 (or `true`), `set code = ?` stores '007' as '7', and
# `where code = ?` with '007' also finds '7' and '7.0'; a decimal loses digits in `set price = ?` with '12345678901234567890.12'.
# A text that is not a number ('abc') stores as itself. There is no warning, and executions before the number are right.
# mysql2 keeps prepared statements by their text for each connection: so what a pool's execute() stores depends on what earlier
# callers bound on that connection. The same happens with PREPARE … EXECUTE USING and variables, so it is the server, not the driver.
# MariaDB 10.11.19 does none of this.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if ! version=$("$project/scripts/fetch-mysql-server.sh" 2> "$folder/why"); then
  echo "skipped: $(tail -n 1 "$folder/why")"
  exit 0
fi
case $version in *'Ver 9.7.4'*) ;; *) echo "skipped: seen on MySQL 9.7.4, and this is $version"; exit 0 ;; esac
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund mysql2@3.24.5
root=$project/.cache/mysql-server/root
libraries=$(dirname "$(find "$root/usr/lib" -maxdepth 2 -name 'ld-linux-*.so.*' | head -n 1)")
mysqld=(
  timeout -k 10 300 "$libraries"/ld-linux-*.so.* --library-path "$libraries" "$root/usr/sbin/mysqld" --no-defaults --user="$(id -un)"
  --datadir="$folder/data" --lc-messages-dir="$root/usr/share/mysql" --character-sets-dir="$root/usr/share/mysql/charsets"
  --plugin-dir="$root/usr/lib/mysql/plugin" --innodb-use-native-aio=off --innodb-flush-method=fsync --mysqlx=off --secure-file-priv=
  --log-error="$folder/server.log"
)
"${mysqld[@]}" --initialize-insecure || { tail -n 5 server.log; exit 1; }
"${mysqld[@]}" --bind-address=127.0.0.1 --port=45440 --socket="$folder/socket" &
server=$!
trap 'kill "$server" 2> /dev/null || true; wait "$server" || true; rm -rf "$folder"' EXIT
for _ in $(seq 240); do
  ! grep -q 'ready for connections' server.log || break
  kill -0 "$server" || { tail -n 5 server.log; exit 1; }
  sleep 0.25
done
cat > run.mjs <<'JS'
import mysql from 'mysql2/promise';

const connect = (database) => mysql.createConnection({ host: '127.0.0.1', port: 45440, user: 'root', database });
const admin = await connect();
const query = async (text) => (await admin.query(text))[0];
console.log((await query('select version() as version'))[0].version);
await query('create database d');
await query('use d');
await query('create table parts (id int primary key, code varchar(20), price decimal(30, 2))');
await query("insert into parts values (1, '', 0), (2, '7', 0), (3, '007', 0), (4, '7.0', 0)");
const seen = {};
const values = async (label, text, bound, look) => {
  const connection = await connect('d');
  for (const [at, value] of bound.entries()) {
    const [rows] = await connection.execute(text, [value]);
    seen[`${label}: ${bound.slice(0, at + 1).map((one) => JSON.stringify(one)).join(', then ')}`] = look
      ? (await query(`select ${look} as it from parts where id = 1`))[0].it
      : rows.map(({ id }) => id).join();
  }
  await connection.end();
};
await values('stores', 'update parts set code = ? where id = 1', ['007'], 'code');
await values('stores', 'update parts set code = ? where id = 1', [7, '007', 'abc'], 'code');
await values('stores', 'update parts set price = ? where id = 1', ['12345678901234567890.12'], 'price');
await values('stores', 'update parts set price = ? where id = 1', [1.5, '12345678901234567890.12'], 'price');
await values('finds', 'select id from parts where code = ? order by id', ['007']);
await values('finds', 'select id from parts where code = ? order by id', [true, '007']);
await query("prepare s from 'select id from parts where code = ? order by id'");
await query("set @number = 7, @text = '007'");
const finds = async (name) => (await query(`execute s using @${name}`)).map(({ id }) => id).join();
seen['finds by EXECUTE: text'] = await finds('text');
seen['finds by EXECUTE: text, then number'] = await finds('number');
seen['finds by EXECUTE: text, then number, then text'] = await finds('text');
console.log(seen);
await admin.end();
const expected = ['007', '7', '7', 'abc', '12345678901234567890.12', '1.50', '12345678901234567000.00', '3', '', '2,3,4', '3', '2,3,4', '2,3,4'];
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
timeout 60 node run.mjs
