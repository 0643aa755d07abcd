#!/usr/bin/env bash
# SQLite 3.54: `alter table … drop column` takes a column with a foreign key of its own, although its documentation says that it fails.
#
# Guess (by the documentation, which lists "used in a foreign key constraint" among what makes it fail): the table has to be made again.
# Seen (3.54.1, better-sqlite3 13.2.0): a constraint in the definition of the column (`p_id integer references p(id)`, with a name, with
# NOT NULL, with foreign keys switched on) goes with its column. Only a constraint of the table (`foreign key (p_id) references p(id)`)
# makes it fail, even where it names no further column. So a migration can replace such a column: add, copy, drop, rename. To add one
# that is NOT NULL and has a foreign key is refused, because its default may not have a value.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
# better-sqlite3 needs Node.js 22 or newer: it is installed and run with one of its own.
npm install --silent --no-audit --no-fund node@24.9.0
export PATH="$folder/node_modules/node/bin:$PATH"
npm install --silent --no-audit --no-fund better-sqlite3@13.2.0
cat > run.mjs <<'JS'
import Database from 'better-sqlite3';

const db = new Database(':memory:');
console.log(db.prepare('select sqlite_version()').pluck().get());
db.pragma('foreign_keys = on');
const outcome = (columns, change) => {
  db.exec('drop table if exists c; drop table if exists p; create table p (id integer primary key); insert into p values (1)');
  db.exec(`create table c (id integer, ${columns}); insert into c values (1, 1)`);
  try {
    db.exec(change);
    return db.prepare(`select sql from sqlite_schema where name = 'c'`).pluck().get();
  } catch (error) {
    return error.message;
  }
};
const drop = 'alter table c drop column p_id';
const seen = {
  ofColumn: outcome('p_id integer references p(id)', drop),
  named: outcome('p_id integer not null constraint leads_to references p(id)', drop),
  ofTable: outcome('p_id integer, foreign key (p_id) references p(id)', drop),
  added: outcome('p_id integer', 'alter table c add column q_id integer not null default 1 references p(id)'),
};
console.log(seen);
const expected = {
  ofColumn: 'CREATE TABLE c (id integer)',
  named: 'CREATE TABLE c (id integer)',
  ofTable: 'error in table c after drop column: unknown column "p_id" in foreign key definition',
  added: 'Cannot add a REFERENCES column with non-NULL default value',
};
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
timeout 120 node run.mjs
