#!/usr/bin/env bash
# MySQL 9.7: an index rounds the value that a DATETIME is compared with, so `=` finds another row than without the index.
#
# Guess: a column of milliseconds is never equal to `cast('….9991' as datetime(6))`, with an index or without one.
# Seen (9.7.4): without an index `=` finds nothing. With one the server rounds the constant to the column's precision: `.9991` finds
# the row of .999, and `.9995` the row of the next second. BETWEEN two equal bounds and IN with one value do the same. IN with the same
# value twice, `<=>`, `<` and `>` do not, so with an index one row is equal, less and unequal to the same value. TIME is different again:
# its constants are rounded with and without an index, for `<` too, so that .999 is not less than .9991; but not for IN with two values.
source "$(dirname "${BASH_SOURCE[0]}")/mysql-server.sh"
cat > run.mjs <<'JS'
import mysql from 'mysql2/promise';

const connection = await mysql.createConnection({ socketPath: 'mysql.sock', user: 'root', database: 'test' });
console.log((await connection.query('select version() as version'))[0][0].version);
await connection.query('create table days (id int primary key, plain datetime(3), indexed datetime(3), key (indexed))');
await connection.query('create table hours (id int primary key, plain time(3), indexed time(3), key (indexed))');
for (const [id, time] of [[1, '03:04:05.999'], [2, '03:04:06.000']]) {
  const day = `2026-01-02 ${time}`;
  await connection.execute('insert into days values (?, ?, ?)', [id, day, day]);
  await connection.execute('insert into hours values (?, ?, ?)', [id, time, time]);
}
const conditions = {
  '=': (column, value) => `${column} = ${value}`,
  between: (column, value) => `${column} between ${value} and ${value}`,
  'in, one value': (column, value) => `${column} in (${value})`,
  'in, twice the value': (column, value) => `${column} in (${value}, ${value})`,
  '<=>': (column, value) => `${column} <=> ${value}`,
  '<': (column, value) => `${column} < ${value}`,
  '<>': (column, value) => `${column} <> ${value}`,
};
const seen = {};
for (const [table, type, day] of [['days', 'datetime(6)', '2026-01-02 '], ['hours', 'time(6)', '']]) {
  for (const fraction of ['.9991', '.9995']) {
    for (const [name, condition] of Object.entries(conditions)) {
      const ids = [];
      for (const column of ['plain', 'indexed']) {
        const where = condition(column, `cast('${day}03:04:05${fraction}' as ${type})`);
        const [rows] = await connection.query(`select id from ${table} where ${where} order by id`);
        ids.push(rows.map((row) => row.id).join(' and ') || 'none');
      }
      seen[`${table} ${name} ${fraction}`] = ids.join(' | ');
    }
  }
}
await connection.end();
// The ids that are found without the index, and with it.
console.log(seen);
const expected = {
  'days = .9991': 'none | 1',
  'days between .9991': 'none | 1',
  'days in, one value .9991': 'none | 1',
  'days in, twice the value .9991': 'none | none',
  'days <=> .9991': 'none | none',
  'days < .9991': '1 | 1',
  'days <> .9991': '1 and 2 | 1 and 2',
  'days = .9995': 'none | 2',
  'hours = .9991': '1 | 1',
  'hours < .9991': 'none | none',
  'hours in, twice the value .9991': 'none | none',
  'hours = .9995': '2 | 2',
};
const isAsSeen = Object.entries(expected).every(([name, ids]) => seen[name] === ids);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
