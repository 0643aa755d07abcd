#!/usr/bin/env bash
# SQLite 3 in WAL mode (better-sqlite3 13): another file takes the place of one that is open. The next program finds it damaged.
#
# Guess: the log belongs to the file that was open. Its salt keeps it from any other one, and whoever closes the last connection in order
# takes it away.
# Seen: the log and the file know nothing of each other. A close notices that the file has gone from its path, and leaves the log as it is.
# The next program that opens the new file takes the log for that of an interrupted one, and finds the pages of both mixed. With the log
# emptied by a checkpoint before the exchange, the new file is whole, whether the old one is closed or still open.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund node@24.9.0 better-sqlite3@13.2.0
export PATH="$folder/node_modules/node/bin:$PATH"
cat > next.cjs <<'JS'
const Database = require('better-sqlite3');
const database = new Database('shop.sqlite');
try {
  const [{ integrity_check: check }] = database.pragma('integrity_check');
  console.log(`${check}, ${database.prepare('select count(*) as rows from notes').get().rows} rows`);
} catch (error) {
  console.log(error.code);
}
JS
cat > run.cjs <<'JS'
const { execFileSync } = require('node:child_process');
const { existsSync, renameSync, rmSync, statSync } = require('node:fs');
const Database = require('better-sqlite3');

const make = (file, rows) => {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  const database = new Database(file);
  database.exec(`create table notes (id integer primary key, text text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) insert into notes select i, 'note ' || i from n`);
  database.close();
};
const seen = {};
for (const log of ['full', 'emptied']) {
  for (const connection of ['open', 'closed']) {
    make('shop.sqlite', 3);
    make('seed.sqlite', 20_000);
    const database = new Database('shop.sqlite');
    database.pragma('journal_mode = wal');
    database.exec("insert into notes values (4, 'mine')");
    if (log === 'emptied') database.pragma('wal_checkpoint(truncate)');
    renameSync('seed.sqlite', 'shop.sqlite');
    if (connection === 'closed') database.close();
    const bytes = existsSync('shop.sqlite-wal') ? statSync('shop.sqlite-wal').size : 0;
    seen[`log ${log}, connection ${connection}`] = execFileSync(process.execPath, ['next.cjs'], { encoding: 'utf8' }).trim();
    console.log(`log ${log} (${bytes} bytes are left), connection ${connection}: ${seen[`log ${log}, connection ${connection}`]}`);
    if (database.open) database.close();
  }
}
const { version } = new Database(':memory:').prepare('select sqlite_version() as version').get();
console.log(`SQLite ${version}`);
const expected = ['SQLITE_CORRUPT', 'SQLITE_CORRUPT', 'ok, 20000 rows', 'ok, 20000 rows'];
const isAsSeen = JSON.stringify(Object.values(seen)) === JSON.stringify(expected);
console.log(isAsSeen ? 'as seen' : 'CHANGED');
process.exitCode = isAsSeen ? 0 : 1;
JS
node run.cjs
