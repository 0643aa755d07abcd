#!/usr/bin/env bash
# MySQL 9.7: `insertId` of the driver and `last_insert_id()` of the server are two different numbers, and the first may be negative.
#
# Guess: both are the key that AUTO_INCREMENT gave to the row just inserted.
# Seen (9.7.4, mysql2 3.24.5): where a BEFORE INSERT trigger sets the key, the answer to the INSERT carries the trigger's number, and
# `last_insert_id()` stays what it was: the key of an earlier insert of that connection, or 0. The protocol's number is unsigned, and
# mysql2 reads it as signed: the key 18446744073709551000 of a BIGINT UNSIGNED arrives as -616, with `supportBigNumbers` and
# `bigNumberStrings` too, although a SELECT gives the same key right. Between 2^53 and 2^63 it is the right number, as a text.
source "$(dirname "${BASH_SOURCE[0]}")/mysql-server.sh"
cat > run.mjs <<'JS'
import mysql from 'mysql2/promise';

const access = { socketPath: 'mysql.sock', user: 'root', database: 'test', supportBigNumbers: true };
const connection = await mysql.createConnection(access);
console.log((await connection.query('select version() as version'))[0][0].version);
await connection.query('create table t (id bigint unsigned auto_increment primary key, wanted bigint unsigned)');
await connection.query('create trigger keys_of_t before insert on t for each row if new.wanted is not null then set new.id = new.wanted; end if');

/** The key by the driver, by the server's function, and by what the table holds. */
async function insert(on, wanted) {
  const [{ insertId }] = await on.execute('insert into t (wanted) values (?)', [wanted]);
  const [[{ last }]] = await on.query('select cast(last_insert_id() as char) as last');
  const [[{ id }]] = await on.query('select id from t order by id desc limit 1');
  return `${typeof insertId} ${insertId}, ${last}, ${id}`;
}
const seen = [];
for (const wanted of [null, '5000', null, '9007199254740993', '18446744073709551000']) seen.push(await insert(connection, wanted));
await connection.end();
const second = await mysql.createConnection({ ...access, bigNumberStrings: true });
seen.push(await insert(second, '18446744073709551001'));
await second.end();
for (const line of seen) console.log(line);
const expected = [
  'number 1, 1, 1',
  'number 5000, 1, 5000',
  'number 5001, 5001, 5001',
  'string 9007199254740993, 5001, 9007199254740993',
  'number -616, 5001, 18446744073709551000',
  'string -615, 0, 18446744073709551001',
];
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.mjs
