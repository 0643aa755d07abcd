#!/usr/bin/env bash
# parquetjs 0.11 and parquetjs-lite 0.8: a plain, uncompressed Parquet file is refused for one number that says nothing of its pages.
#
# Guess: an old reader opens a file whose pages it knows, and refuses one whose compression or encoding it lacks, by the name of that.
# Seen (hyparquet-writer 0.17.0, @duckdb/node-api 1.5.6-r.1): both refuse each file of hyparquet-writer, also one without compression, with
# "invalid parquet version". They compare the version in the footer with 1, and hyparquet-writer writes 2. With that one byte set to 1, both
# read every row of it. DuckDB writes 1 unless `parquet_version v2` is asked for. So both read the same rows from DuckDB.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts parquetjs@0.11.2 parquetjs-lite@0.8.7 hyparquet-writer@0.17.0 @duckdb/node-api@1.5.6-r.1
cat > run.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetWriteBuffer } from 'hyparquet-writer';

const require = createRequire(import.meta.url);
// Its asserts print a line for each value that they dislike.
console.assert = () => undefined;
const rows = 300;
const numbers = Array.from({ length: rows }, (_, index) => index);
const written = Buffer.from(parquetWriteBuffer({
  codec: 'UNCOMPRESSED',
  columnData: [{ name: 'id', data: numbers, type: 'INT32', encoding: 'PLAIN', nullable: false }],
}));
writeFileSync('written.parquet', written);
// The footer begins with its version, as a whole number in the compact form of Thrift: 15 04 is 2, and 15 02 is 1.
const footer = written.length - 8 - written.readUInt32LE(written.length - 8);
const version = written[footer + 1] / 2;
const patched = Buffer.from(written);
patched[footer + 1] = 2;
writeFileSync('patched.parquet', patched);
const connection = await (await DuckDBInstance.create(':memory:')).connect();
await connection.run(`copy (select i::int as id from range(${rows}) numbers(i)) to 'duckdb.parquet' (format parquet, compression uncompressed)`);
await connection.run(`copy (select i::int as id from range(${rows}) numbers(i)) to 'duckdb2.parquet' (format parquet, compression uncompressed, parquet_version v2)`);
const seen = { version };
for (const library of ['parquetjs', 'parquetjs-lite']) {
  for (const file of ['written', 'patched', 'duckdb', 'duckdb2']) {
    let answer;
    try {
      const reader = await require(library).ParquetReader.openFile(`${file}.parquet`);
      const cursor = reader.getCursor();
      let sum = 0;
      for (let row = await cursor.next(); row; row = await cursor.next()) sum += Number(row.id);
      answer = sum === (rows * (rows - 1)) / 2 ? 'read' : `sum ${sum}`;
    } catch (error) {
      const message = String(error?.message ?? error);
      answer = message;
    }
    seen[`${library} ${file}`] = answer;
  }
}
console.log(process.version, seen);
const refused = 'invalid parquet version';
const answers = { written: refused, patched: 'read', duckdb: 'read', duckdb2: refused };
const expected = { version: 2 };
for (const library of ['parquetjs', 'parquetjs-lite']) {
  for (const [file, answer] of Object.entries(answers)) expected[`${library} ${file}`] = answer;
}
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
