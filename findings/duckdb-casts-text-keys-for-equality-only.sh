#!/usr/bin/env bash
# DuckDB 1.5: a text column beside a whole number is cast for `=` and `in`, and refused for `>`.
#
# Guess: the folders `month=09` and `month=10` make a column that looks like numbers, so that `month = 9` and `month > 9` both work, or, if it
# is text, both are refused.
# Seen (@duckdb/node-api 1.5.6-r.1): the zero in front makes the column VARCHAR. `month = 9` finds `09` and `month in (9, 10)` finds both, as
# the text is cast to a number. `month > 9` and `between` are refused: "Cannot compare (or mix) values of type VARCHAR and INTEGER_LITERAL".
# A query that was tried with one month fails with a range of them. With `month=9` and `month=10` the column is BIGINT, and all four work.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @duckdb/node-api@1.5.6-r.1
cat > run.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api';
import { mkdirSync } from 'node:fs';

const connection = await (await DuckDBInstance.create(':memory:')).connect();
const conditions = ['month = 9', 'month in (9, 10)', 'month > 9', 'month between 9 and 10'];
async function answers(name, months) {
  for (const month of months) {
    mkdirSync(`${name}/month=${month}`, { recursive: true });
    await connection.run(`copy (select 1 as n) to '${name}/month=${month}/data.parquet' (format parquet)`);
  }
  const found = [];
  for (const condition of conditions) {
    const sql = `select count(*) as n from read_parquet('${name}/**/*.parquet', hive_partitioning = true) where ${condition}`;
    try {
      found.push(Number((await connection.runAndReadAll(sql)).getRowObjects()[0].n));
    } catch (error) {
      found.push(/Cannot (?:compare|mix) values of type VARCHAR/.test(error.message) ? 'refused' : error.message);
    }
  }
  return found;
}
const seen = { padded: await answers('padded', ['09', '10']), plain: await answers('plain', ['9', '10']) };
console.log(process.version, JSON.stringify(conditions), JSON.stringify(seen));
const expected = { padded: [1, 2, 'refused', 'refused'], plain: [1, 2, 1, 2] };
const isAsSeen = JSON.stringify(seen) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exit(isAsSeen ? 0 : 1);
JS
node run.mjs
