#!/usr/bin/env bash
# MariaDB 10.11: `insert … returning w` asks for the right to insert `w`, not to read it.
#
# Guess: a returned column is read, so that `select` on the table is enough, as on PostgreSQL and as for `delete … returning`.
# Seen (10.11.19): with `select` on the table and `insert (id, v)`, returning `id` works, and returning `w` or an expression of it fails with
# 1143 "INSERT command denied … for column 'w'". `delete … returning w` works with `select` and `delete`.
set -euo pipefail
command -v mariadb-install-db mariadbd mariadb > /dev/null || { echo 'Install it first: apt-get install mariadb-server'; exit 1; }
folder=$(mktemp -d)
trap 'kill "${server:-0}" 2> /dev/null; wait 2> /dev/null; rm -rf "$folder"' EXIT
user=$(id -un)
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal --user="$user" > /dev/null 2>&1
mariadbd --no-defaults --datadir="$folder/data" --user="$user" --skip-networking --socket="$folder/sock" > "$folder/log" 2>&1 &
server=$!
for _ in $(seq 100); do mariadb -S "$folder/sock" -u root -e 'select 1' > /dev/null 2>&1 && break; sleep 0.2; done
mariadb -S "$folder/sock" -u root -e "
  create database p; use p; create table notes (id int primary key, v varchar(9), w varchar(9) default 'w');
  create user u@localhost identified by 'u'; grant select, delete, insert (id, v) on p.notes to u@localhost"
mariadb -S "$folder/sock" -u root -Ne 'select version()'
seen=''
ask() {
  local answer
  answer=$(mariadb -S "$folder/sock" -u u -pu p -Ne "$1" 2>&1 | grep -oE '^ERROR [0-9]+|^[0-9a-z]+$' | tail -n 1 || true)
  echo "$1 -> ${answer:-done}"
  seen+="${answer:-done};"
}
ask "insert into notes (id, v) values (1, 'a')"
ask "insert into notes (id, v) values (2, 'a') returning id"
ask "insert into notes (id, v) values (3, 'a') returning w"
ask "insert into notes (id, v) values (4, 'a') returning concat(w, 'x')"
ask 'select w from notes where id = 1'
ask 'delete from notes where id = 1 returning w'
if [ "$seen" = 'done;2;ERROR 1143;ERROR 1143;w;w;' ]; then echo 'as seen'; else echo "CHANGED: $seen"; exit 1; fi
