#!/usr/bin/env bash
# MariaDB 10.11: an order that goes on behind the primary key sorts the whole table, and SQLite drops what is behind the key.
#
# Guess: no two rows are equal in the primary key, so a planner leaves out whatever an order says behind it. A tie-breaker that is already
# there, added again in another form, costs nothing.
# Seen (MariaDB 10.11, SQLite 3.50 of Node.js 24.4.1): SQLite reads the index of the key for `order by id, hex(name)`, and ends at the limit.
# MariaDB does so for `order by id` only. With any column behind the key it reads and sorts the whole table for a page of two rows.
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
ask() { mariadb -N -S "$folder/sock" -u root -e "$1"; }
ask "create database d; use d; create table t (id int primary key, name varchar(40)); insert into t select seq, seq from seq_1_to_5000"
read_rows() { ask "flush status; select id from d.t order by $1 limit 2; show status like 'Handler_read_%'" | awk '/Handler/ { sum += $2 } END { print sum }'; }
key=$(read_rows id)
column=$(read_rows 'id, name')
function=$(read_rows 'id, hex(name)')
echo "rows that MariaDB reads for a page of two by id: $key; by id, name: $column; by id, hex(name): $function"
cd "$folder" && npm init -y > /dev/null && npm install --silent --no-audit --no-fund node@24.4.1
plan=$(node_modules/.bin/node --no-warnings -e "
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(':memory:');
db.exec('create table t (id int primary key not null, name text)');
console.log(db.prepare('explain query plan select id from t order by id, hex(name) limit 2').all().map(({ detail }) => detail).join('; '));")
echo "the plan of SQLite by id, hex(name): $plan"
if [ "$key $column $function" = '2 5001 5001' ] && [ "$plan" = 'SCAN t USING INDEX sqlite_autoindex_t_1' ]; then
  echo 'as seen'
else
  echo 'CHANGED'
  exit 1
fi
