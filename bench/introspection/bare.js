// The least that an introspection can be: the catalogue statements, and one pass over their rows.
import { text } from 'node:stream/consumers';
import pg from 'pg';

const [connectionString] = process.argv.slice(2);
const statements = JSON.parse(await text(process.stdin));
const begin = performance.now();
const client = new pg.Client({ connectionString });
await client.connect();
await client.query("set search_path = ''");
const tables = new Set();
let values = 0;
for (const statement of statements) {
  const { rows } = await client.query(statement, [['public']]);
  for (const row of rows) {
    tables.add(row.tableId ?? row.id);
    for (const name in row) if (row[name] !== null) values += 1;
  }
}
const seconds = (performance.now() - begin) / 1000;
process.stdout.write(JSON.stringify({ seconds, tables: tables.size, values }));
process.exit();
