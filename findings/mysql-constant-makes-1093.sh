#!/usr/bin/env bash
# MySQL 9.7: a constant in a WHERE makes an UPDATE fail with error 1093, and a bound parameter with the same value does not.
#
# Guess: an UPDATE may join a derived table over its own table where the server keeps that table apart (DISTINCT), whatever its WHERE says.
# Seen (9.7.4): it may with `exists (select 1 from t …)`. With `1 = 1 or exists (…)` or `1 = 0 and exists (…)` the statement fails: "You
# can't specify target table 't0' for update in FROM clause". The constant decides the condition and the sub-query goes, yet counts as a
# use of the written table. `? = 1 or exists (…)` with 1, `coalesce(1 = 1 or exists (…), false)` and `1 = 1 and exists (…)` work, and a
# DELETE fails alike. So a filter that a program simplifies, or writes out as a literal, decides whether the statement runs.
source "$(dirname "${BASH_SOURCE[0]}")/mysql-server.sh"
cat > run.mjs <<'JS'
import mysql from 'mysql2/promise';

const connection = await mysql.createConnection({ socketPath: 'mysql.sock', user: 'root', database: 'test' });
console.log((await connection.query('select version() as version'))[0][0].version);
await connection.query('create table t (id int primary key, value int)');
await connection.query('insert into t values (1, 0), (2, 0)');
const exists = 'exists (select 1 from t x where x.id = t0.id)';
const update = (where) =>
  `update t t0 join (select distinct t0.id from t t0 where ${where}) found on found.id = t0.id set t0.value = t0.value + 1`;
const remove = (where) => `delete t0 from t t0 join (select distinct t0.id from t t0 where ${where}) found on found.id = t0.id`;
const cases = [
  ['update, exists', update(exists), [], '2 rows'],
  ['update, 1 = 1 or exists', update(`1 = 1 or ${exists}`), [], 'error 1093'],
  ['update, 1 = 0 and exists', update(`1 = 0 and ${exists}`), [], 'error 1093'],
  ['update, 1 = 1 and exists', update(`1 = 1 and ${exists}`), [], '2 rows'],
  ['update, ? = 1 or exists', update(`? = 1 or ${exists}`), [1], '2 rows'],
  ['update, coalesce(1 = 1 or exists, false)', update(`coalesce(1 = 1 or ${exists}, false)`), [], '2 rows'],
  ['delete, 1 = 1 or exists', remove(`1 = 1 or ${exists}`), [], 'error 1093'],
  ['delete, exists', remove(exists), [], '2 rows'],
];
let isAsSeen = true;
for (const [name, statement, parameters, expected] of cases) {
  const seen = await connection.execute(statement, parameters).then(
    ([result]) => `${result.affectedRows} rows`,
    (error) => `error ${error.errno}`,
  );
  console.log(`${name}: ${seen}`);
  isAsSeen &&= seen === expected;
}
await connection.end();
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
