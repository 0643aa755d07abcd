import { createHash } from 'node:crypto';
import type { SqlRow } from '#kernel/ports/sql-row';
import { type MysqlDatabase, type MysqlParameters, type MysqlSession, openMysql } from '#node/mysql/open-mysql';
import type { TableCheck } from '../checks/table-check.ts';
import { bindNativeQuery } from '../sql/native-query.ts';
import type { SqlEngine, SqlTransaction } from '../sql/sql-engine.ts';
import { introspectMariadb } from './introspect-mariadb.ts';
import { dialectOfServer, mariadbDialect, mysqlSyntax } from './mariadb-dialect.ts';
import { withViolatedFields } from './mariadb-violated-fields.ts';

export { dialectOfServer, mariadbDialect, mysqlDialect } from './mariadb-dialect.ts';

export interface MariadbParameters extends MysqlParameters {
  /** Further databases of the server whose tables are taken; their collections are called `database.table`. */
  readonly furtherDatabases?: readonly string[] | undefined;
}

/**
 * A database on MariaDB 10.11 or later, or on MySQL 9: the catalogue says which of them it is. Nothing is connected before the
 * first query.
 *
 * @throws from every method, `DATABASE_…` errors.
 */
export async function openMariadbEngine(parameters: MariadbParameters): Promise<SqlEngine> {
  const database = await openMysql(parameters);
  const schemas = [...new Set([parameters.database, ...(parameters.furtherDatabases ?? [])])];
  return {
    dialect: mariadbDialect,
    dialectFor: dialectOfServer,
    introspect: () => introspectMariadb((sql, values) => database.all(sql, values), schemas),
    checks: () => readMariadbChecks((sql, values) => database.all(sql, values), schemas),
    async fingerprint() {
      const values = Array.from({ length: fingerprintParts }, () => schemas).flat();
      const rows = await database.all(fingerprintSql(schemas.length), values);
      return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
    },
    forgetStatements: database.forgetStatements,
    read: (sql, values, { signal }) => database.all(sql, values, { signal }),
    transaction: (work, { signal }) =>
      database.transaction((transaction) => work(namingFields(transaction)), { signal }),
    async runReadOnly(sql, values, { signal }) {
      const native = bindNativeQuery(sql, values, mysqlSyntax);
      return database.readOnly(native.sql, native.parameters, { signal });
    },
    utcOffsets: (zones, instants) => readUtcOffsets(database, zones, instants),
    openConnections: () => database.openConnections(),
    close: () => database.close(),
  };
}

/** The transaction is still open after a broken rule: the same connection tells what the rule is about. */
function namingFields(transaction: MysqlSession): SqlTransaction {
  const naming = async <Result>(sql: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw await withViolatedFields(error, sql, transaction.all);
    }
  };
  return {
    all: (sql, values) => naming(sql, () => transaction.all(sql, values)),
    run: (sql, values) => naming(sql, () => transaction.run(sql, values)),
    insert: (sql, values) => naming(sql, () => transaction.insert(sql, values)),
  };
}

type Query = (sql: string, parameters: readonly string[]) => Promise<readonly SqlRow[]>;

// MariaDB names the table beside the check, MySQL beside the name of the constraint, which is unique there.
const checksQuery = `
  select distinct c.constraint_schema as \`schema\`, coalesce(/*M! c.table_name, */ t.table_name) as \`table\`, c.check_clause as clause
  from information_schema.check_constraints c
  left join information_schema.table_constraints t
    on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name and t.constraint_type = 'CHECK'
  where c.constraint_schema in (?)
  order by 1, 2, 3`;

async function readMariadbChecks(query: Query, schemas: readonly string[]): Promise<readonly TableCheck[]> {
  const rows = await query(checksQuery.replace('(?)', `(${schemas.map(() => '?').join(', ')})`), schemas);
  return rows.map((row) => ({
    schema: row['schema'] === schemas[0] ? null : String(row['schema']),
    table: String(row['table']),
    // MySQL keeps the quotes of texts with a backslash before them.
    text: String(row['clause']).replaceAll("\\'", "'"),
  }));
}

/**
 * One hash over the tables, columns, keys and checks of some databases, and the server: its version, which reads them, and whether it only reads.
 * Each row is hashed by itself and the hashes are added, so that neither an order nor a long text is needed.
 */
function fingerprintSql(schemaCount: number): string {
  const schemas = Array.from({ length: schemaCount }, () => '?').join(', ');
  const hashOf = (columns: string) =>
    `sum(cast(conv(left(sha2(concat_ws('|', ${columns}), 256), 15), 16, 10) as decimal(30))), count(*)`;
  return `
    select 'server' as part, sha2(concat_ws('|', version(), @@global.read_only), 256) as hash, 1 as rows_hashed
    union all
    select 'columns', ${hashOf('table_schema, table_name, ordinal_position, column_name, column_type, is_nullable, ifnull(column_default, 0x00), extra, ifnull(collation_name, 0x00), column_comment, privileges')} from information_schema.columns where table_schema in (${schemas})
    union all
    select 'tables', ${hashOf('table_schema, table_name, table_type, table_comment')} from information_schema.tables where table_schema in (${schemas})
    union all
    select 'keys', ${hashOf('table_schema, table_name, index_name, non_unique, seq_in_index, column_name, ifnull(sub_part, 0)')} from information_schema.statistics where table_schema in (${schemas})
    union all
    select 'references', ${hashOf('table_schema, table_name, constraint_name, ordinal_position, column_name, referenced_table_schema, referenced_table_name, referenced_column_name')} from information_schema.key_column_usage where table_schema in (${schemas}) and referenced_table_name is not null
    union all
    select 'checks', ${hashOf(`constraint_schema, ${tableOfCheck}constraint_name, check_clause`)} from information_schema.check_constraints where constraint_schema in (${schemas})`;
}

/** MariaDB alone says which table a check belongs to, and alone reads such a comment. */
const tableOfCheck = '/*M! table_name, */ ';

/** How many times `fingerprintSql` asks for the list of databases. */
const fingerprintParts = 5;

/** Zones in one answer; the server keeps a megabyte of it at most. */
const zonesAtOnce = 100;

/**
 * The offsets of time zones by the tables of the server, for those that it knows: many servers have no such tables, and then
 * know none.
 */
async function readUtcOffsets(
  database: Pick<MysqlDatabase, 'all'>,
  zones: readonly string[],
  instants: readonly Date[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const offsets = new Map<string, readonly number[]>();
  const at = instants.map((instant) => instant.toISOString().slice(0, 19).replace('T', ' '));
  const columns = at.map((_, index) => `timestampdiff(second, ?, convert_tz(?, '+00:00', z.name)) as o${index}`);
  for (let start = 0; start < zones.length; start += zonesAtOnce) {
    const rows = await database.all(
      `select z.name, ${columns.join(', ')} from json_table(?, '$[*]' columns (name varchar(64) path '$')) z`,
      [...at.flatMap((instant) => [instant, instant]), zones.slice(start, start + zonesAtOnce)],
    );
    for (const { name, ...found } of rows) {
      const values = at.map((_, index) => found[`o${index}`] ?? null);
      if (!values.includes(null)) offsets.set(String(name), values.map(Number));
    }
  }
  return offsets;
}
