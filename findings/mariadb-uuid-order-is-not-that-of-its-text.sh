#!/usr/bin/env bash
# MariaDB 10.11: a column of the type UUID is ordered by its last group first, except for versions 6 to 8, which come after all others.
#
# Guess: UUIDs are ordered as their texts are, as in PostgreSQL. So a program that pages by key may compare the texts itself, and UUIDs of
# version 7 are among the others by their first digits.
# Seen (10.11): `order by`, `<`, `min` and `max` take versions 1 to 5 from the right to the left, group by group, in front of every UUID of
# version 7. Only those of version 7 among themselves are in the order of their texts. `order by cast(id as char(36))` gives the order of the
# texts, and no index serves it: a page of 15 out of 300,000 then reads all of them.
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
ask "create database d; create table d.t (id uuid primary key, name char(1));
  insert into d.t values ('11111111-0000-4000-8000-000000000009', 'a'), ('22222222-0000-4000-8000-000000000001', 'b'),
    ('33333333-0000-4000-8000-000000000005', 'c'), ('01900000-0000-7000-8000-000000000009', 'x'), ('01900001-0000-7000-8000-000000000001', 'y')"
own=$(ask "select group_concat(name order by id separator '') from d.t")
text=$(ask "select group_concat(name order by cast(id as char(36)) separator '') from d.t")
after=$(ask "select group_concat(name order by name separator '') from d.t where id > '33333333-0000-4000-8000-000000000005'")
plan() { ask "explain select id from d.t order by $1 limit 2" | grep -q filesort && echo 'sorts' || echo 'by its index'; }
echo "in the order of the column: $own ($(plan id))"
echo "in the order of the texts:  $text ($(plan 'cast(id as char(36))'))"
echo "after the third UUID:       $after"
if [ "$own $text $after" = 'bcaxy xyabc axy' ] && [ "$(plan id)" = 'by its index' ] && [ "$(plan 'cast(id as char(36))')" = 'sorts' ]; then
  echo 'as seen'
else
  echo 'CHANGED'
  exit 1
fi
