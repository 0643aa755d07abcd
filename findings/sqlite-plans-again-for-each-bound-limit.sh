#!/usr/bin/env bash
# SQLite 3.54 in better-sqlite3 13.2: a prepared statement with `limit ?` is planned again each time a value is bound to it.
#
# Guess: a prepared statement is planned once, and the driver makes the function that builds its rows once, whatever values come.
# Seen (3.54.1, built with STAT4 as better-sqlite3 is): the planner looks at the value of a limit, so each binding of that parameter, also of the
# same value, makes the next step plan the statement again. The driver then makes its function of rows again, which compiles JavaScript. A limit
# in the text or in an expression (`limit ? + 0`) is planned once; an offset as a parameter does no harm. A read by key with `limit ?`
# takes some three times as long as without.
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
db.exec('create table t (id integer primary key, name text)');
const insert = db.prepare('insert into t values (?, ?)');
for (let id = 0; id < 100; id++) insert.run(id, `n${id}`);

// The driver makes a function for the rows of a statement by the global Function.
let made = 0;
const original = globalThis.Function;
globalThis.Function = new Proxy(original, {
  apply(target, self, parameters) {
    made += 1;
    return Reflect.apply(target, self, parameters);
  },
});
const madeBy = (text, ...values) => {
  const statement = db.prepare(`select id, name from t where id = ? ${text}`);
  made = 0;
  for (let id = 0; id < 100; id++) statement.all(id, ...values);
  return made;
};
const seen = {
  'no limit': madeBy(''),
  'limit 1': madeBy('limit 1'),
  'limit ?': madeBy('limit ?', 1),
  'limit ? + 0': madeBy('limit ? + 0', 1),
  'limit 1 offset ?': madeBy('limit 1 offset ?', 0),
};
console.log(seen);
const expected = { 'no limit': 1, 'limit 1': 1, 'limit ?': 100, 'limit ? + 0': 1, 'limit 1 offset ?': 1 };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
