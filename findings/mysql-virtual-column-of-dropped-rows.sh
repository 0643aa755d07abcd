#!/usr/bin/env bash
# MySQL 9.7: a virtual column is worked out for every row that is scanned, also for the rows that the condition drops.
#
# Guess: a virtual column is its expression; it is worked out for the rows that the query returns.
# Seen (9.7.4, mysql2 3.24.5): `select id, n … where city = 'Rome'` fails with "Invalid JSON text" because of a row in Oslo. The
# same query with the expression of n written out succeeds, and so does the query on n once there is an index on city; then
# it fails again when the index is made invisible. `order by city desc limit 1` fails too, though Rome comes first.
# So the plan decides whether a query fails: an index that is added, dropped or not chosen changes an error into rows or back.
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
"${mysqld[@]}" --bind-address=127.0.0.1 --port=45439 --socket="$folder/socket" &
server=$!
trap 'kill "$server" 2> /dev/null || true; wait "$server" || true; rm -rf "$folder"' EXIT
for _ in $(seq 240); do
  ! grep -q 'ready for connections' server.log || break
  kill -0 "$server" || { tail -n 5 server.log; exit 1; }
  sleep 0.25
done
cat > run.mjs <<'JS'
import mysql from 'mysql2/promise';

const connection = await mysql.createConnection({ host: '127.0.0.1', port: 45439, user: 'root' });
const query = async (text) => (await connection.query(text))[0];
const outcome = async (text) => {
  try {
    return JSON.stringify((await query(text)).map(Object.values));
  } catch (error) {
    return error.code;
  }
};
console.log((await query('select version() as version'))[0].version);
await query('create database d');
await query('use d');
await query('create table papers (id int primary key, city varchar(20), doc varchar(20))');
await query(`insert into papers values (1, 'Rome', '{"n":1}'), (2, 'Oslo', 'no JSON')`);
await query(`alter table papers add n int as (json_extract(doc, '$.n')) virtual`);
const seen = {};
seen['the column'] = await outcome("select id, n from papers where city = 'Rome'");
seen['its expression'] = await outcome(`select id, json_extract(doc, '$.n') from papers where city = 'Rome'`);
seen['ordered, first row'] = await outcome('select id, n from papers order by city desc limit 1');
await query('create index papers_city on papers (city)');
seen['the column, with an index'] = await outcome("select id, n from papers where city = 'Rome'");
await query('alter table papers alter index papers_city invisible');
seen['the column, index invisible'] = await outcome("select id, n from papers where city = 'Rome'");
console.log(seen);
await connection.end();
const failed = 'ER_INVALID_JSON_TEXT_IN_PARAM';
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify([failed, '[[1,1]]', failed, '[[1,1]]', failed]);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
timeout 60 node run.mjs
