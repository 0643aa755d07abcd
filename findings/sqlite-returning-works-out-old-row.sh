#!/usr/bin/env bash
# SQLite 3.54: `update … returning id` also works out the virtual columns of the row as it was, and so refuses to fix the row.
#
# Guess: RETURNING gives what it names, of the row after the change; adding `returning id` to a statement that succeeds changes nothing.
# Seen (3.54.1, better-sqlite3 13.2.0): a virtual column json_extract(doc, '$.n') was added to a table that holds a text that is
# no JSON. `update … set doc = '{"n":2}'` fixes that row; with `returning id` the same statement fails with "malformed JSON",
# although neither the id nor the new row has anything wrong. `delete` does the same: without RETURNING the row goes, with it the
# row cannot be removed. (An update that leaves the bad text in place fails both ways: it works out every column of the new row.)
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
const outcome = (text) => {
  db.exec(`
    drop table if exists papers;
    create table papers (id integer primary key, title text, doc text);
    insert into papers values (1, 'good', '{"n":1}'), (2, 'bad', 'no JSON');
    alter table papers add column n as (json_extract(doc, '$.n')) virtual`);
  try {
    const statement = db.prepare(text);
    return statement.reader ? `returns ${JSON.stringify(statement.all())}` : `changes ${statement.run().changes}`;
  } catch (error) {
    return error.message;
  }
};
const fix = `update papers set doc = '{"n":2}' where id = 2`;
const seen = {};
for (const text of [fix, `${fix} returning id`, 'delete from papers where id = 2', 'delete from papers where id = 2 returning id']) seen[text] = outcome(text);
seen['select id, title'] = outcome('select id, title from papers where id = 2');
console.log(seen);
const expected = ['changes 1', 'malformed JSON', 'changes 1', 'malformed JSON', 'returns [{"id":2,"title":"bad"}]'];
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
timeout 120 node run.mjs
