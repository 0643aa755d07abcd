import { strict as assert } from 'node:assert';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Connection } from 'mysql2/promise';
import { startMariadb, whyNoMariadb } from '../../test/helpers/mariadb-server.ts';
import type { MysqlFamilyServer } from '../../test/helpers/mysql-family-server.ts';
import { startMysql, whyNoMysql } from '../../test/helpers/mysql-server.ts';
import type { BenchPostgres } from '../postgres.ts';
import { startAgent, startFloor } from './start-agent.ts';
import type { Target } from './target.ts';
import { variedAddresses, variedScenarios } from './varied.ts';
import { measureVaried } from './varied-load.ts';

/** An engine that has the rows of the shop beside PostgreSQL. */
interface OtherEngine {
  readonly name: 'mariadb' | 'mysql' | 'sqlite';
  /** Why it cannot be started here; `undefined` where it can. */
  readonly absence: string | undefined;
  /** Make the shop there from the rows that PostgreSQL has; its address. `stops` gets what ends the engine. */
  open(postgres: BenchPostgres, folder: string, stops: (() => Promise<unknown>)[]): Promise<string>;
}

/** The name of an engine's type, by the word in `shop-elsewhere.sql`. */
type Types = Readonly<Record<'KEY' | 'TEXT' | 'JSON' | 'INSTANT' | 'STATUS' | 'UUID', string>>;

const ofMysqlFamily: Types = {
  KEY: 'int auto_increment primary key',
  TEXT: 'varchar(255)',
  JSON: 'json',
  INSTANT: 'datetime',
  STATUS: "enum('draft','placed','paid','shipped','cancelled')",
  UUID: 'char(36)',
};
const ofSqlite: Types = {
  ...{ KEY: 'integer primary key', TEXT: 'text', JSON: 'json', INSTANT: 'datetime', UUID: 'text' },
  STATUS: "text check (status in ('draft','placed','paid','shipped','cancelled'))",
};

/** By table, in an order in which every row finds what it refers to. `created_at` and `placed_at` are written as an engine wants them. */
const columns: Readonly<Record<string, string>> = {
  customers: 'id,email,first_name,last_name,birth_date,is_vip::int,country,balance,preferences,created_at',
  addresses: 'id,customer_id,street,city,zip,is_default::int',
  products: 'id,sku,name,description,price,stock,to_json(tags),created_at',
  orders: 'id,customer_id,status,total,placed_at,shipping_address_id,notes',
  order_items: 'order_id,product_id,quantity,unit_price',
  reviews: 'id,product_id,customer_id,rating,body,created_at',
};

/** The rows of each table in a file of tabulator-separated values, as `LOAD DATA` reads them. */
async function writeRows(
  { execute }: BenchPostgres,
  folder: string,
  instantForm: string,
): Promise<ReadonlyMap<string, string>> {
  const place = path.join(folder, 'rows');
  await mkdir(place, { recursive: true });
  // The server of PostgreSQL, which runs as a user of its own, writes them.
  await chmod(place, 0o777);
  const files = new Map<string, string>();
  for (const [table, list] of Object.entries(columns)) {
    const file = path.join(place, `${table}.tsv`);
    const selected = list.replaceAll(/created_at|placed_at/g, `to_char($& at time zone 'utc', '${instantForm}')`);
    await execute([`copy (select ${selected} from ${table} order by 1, 2) to '${file}'`]);
    files.set(table, file);
  }
  return files;
}

async function statementsWith(types: Types): Promise<readonly string[]> {
  const text = await readFile(path.join(import.meta.dirname, 'shop-elsewhere.sql'), 'utf8');
  const named = text.replaceAll(/^--.*$/gm, '').replaceAll(/\b(?:KEY|TEXT|JSON|INSTANT|STATUS|UUID)\b/g, (word) => {
    return types[word as keyof Types];
  });
  return named.split(';\n').flatMap((statement) => statement.trim() || []);
}

function onMysqlFamily(
  name: 'mariadb' | 'mysql',
  absence: string | undefined,
  start: (options: readonly string[]) => Promise<MysqlFamilyServer>,
): OtherEngine {
  return {
    name,
    absence,
    async open(postgres, folder, stops) {
      // The tables and their indexes fit into the memory, as they do on the others.
      const server = await start(['--local-infile=1', '--innodb-buffer-pool-size=512M']);
      stops.push(() => server.stop());
      await server.createDatabase('shop', await statementsWith(ofMysqlFamily));
      const rows = await writeRows(postgres, folder, 'YYYY-MM-DD HH24:MI:SS');
      const connection = await server.connect('shop');
      await connection.query('set foreign_key_checks = 0, unique_checks = 0');
      for (const [table, file] of rows) await loadInto(connection, table, file);
      await connection.query(`analyze table ${[...rows.keys()].join(', ')}`);
      await connection.end();
      const { host, port, user, password } = server;
      return `${name}://${user}:${encodeURIComponent(password)}@${host}:${port}/shop`;
    },
  };
}

async function loadInto(connection: Connection, table: string, file: string): Promise<void> {
  await connection.query({
    sql: `load data local infile ? into table ${table} character set utf8mb4`,
    values: [file],
    infileStreamFactory: () => createReadStream(file),
  });
}

const onSqlite: OtherEngine = {
  name: 'sqlite',
  absence: undefined,
  async open(postgres, folder) {
    const file = path.join(folder, 'shop.sqlite');
    const database = new BetterSqlite3(file);
    database.pragma('journal_mode = wal');
    for (const statement of await statementsWith(ofSqlite)) database.exec(statement);
    for (const [table, rows] of await writeRows(postgres, folder, 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')) {
      const lines = (await readFile(rows, 'utf8')).trimEnd().split('\n');
      const insert = database.prepare(
        `insert into ${table} values (${lines[0]
          ?.replaceAll(/[^\t]+/g, '?')
          .split('\t')
          .join(',')})`,
      );
      database.transaction(() => {
        for (const line of lines) insert.run(line.split('\t').map((value) => (value === '\\N' ? null : value)));
      })();
    }
    database.exec('analyze');
    database.close();
    return `sqlite:${file}`;
  },
};

const otherEngines: readonly OtherEngine[] = [
  onSqlite,
  onMysqlFamily('mariadb', whyNoMariadb(), startMariadb),
  onMysqlFamily('mysql', whyNoMysql(), startMysql),
];

/**
 * The varied load on each of the other engines, beside a bare server of that engine. An engine that is not installed is left out, and
 * the bench says so. SQLite is enough for a short run.
 */
export async function measureEngines(
  reference: Target,
  postgres: BenchPostgres,
  platformUrl: string,
  folder: string,
  isQuick: boolean,
): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const { name, absence, open } of otherEngines) {
    const reason =
      absence ?? (isQuick && name !== 'sqlite' ? 'a quick run takes PostgreSQL and SQLite only' : undefined);
    if (reason !== undefined) console.error(`${name} is left out: ${reason}.`);
    if (reason !== undefined) continue;
    const stops: (() => Promise<unknown>)[] = [];
    try {
      const uri = await open(postgres, folder, stops);
      const floor = await startFloor(uri, stops);
      const agent = await startAgent(uri, platformUrl, await mkdtemp(path.join(folder, `${name}-`)), stops);
      for (const scenario of variedScenarios) {
        const [target = ''] = variedAddresses(scenario, 0);
        assert.deepEqual(await plainRecords(agent, target), await plainRecords(reference, target), `${name} ${target}`);
      }
      for (const [figure, value] of Object.entries(await measureVaried(floor, agent, isQuick)))
        figures[`${name}.${figure}`] = value;
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  }
  return figures;
}

/** Records in a form that all engines share: some send exact numbers as texts. */
async function plainRecords({ base, headers }: Target, target: string): Promise<readonly unknown[]> {
  const { data } = (await (await fetch(base + target, { headers })).json()) as { readonly data: unknown };
  return [data].flat().map((record) => {
    const { id, attributes } = record as { readonly id: string; readonly attributes: Record<string, unknown> };
    const { balance, total, ...others } = attributes;
    return { id, ...others, balance: Number(balance), total: Number(total) };
  });
}
