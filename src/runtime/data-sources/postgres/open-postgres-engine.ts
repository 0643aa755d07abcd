import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import { openPostgres } from '#node/postgres/open-postgres';
import type { TableCheck } from '../checks/table-check.ts';
import { bindNativeQuery, type NativeSyntax } from '../sql/native-query.ts';
import type { SqlEngine } from '../sql/sql-engine.ts';
import { introspectPostgres, plainNames } from './introspect-postgres.ts';
import { fingerprintQuery } from './postgres-catalogue-queries.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { caseFolding } from './postgres-text-conditions.ts';

export { postgresDialect } from './postgres-dialect.ts';

export interface PostgresEngineParameters extends PostgresParameters {
  /** The schemas whose tables are taken, in order; default `public`. */
  readonly schemas?: readonly string[] | undefined;
}

/**
 * Connect to a PostgreSQL database.
 *
 * @throws `DATABASE_UNREACHABLE`, `DATABASE_AUTHENTICATION_FAILED`, `DATABASE_NOT_FOUND`, `DATABASE_TLS_FAILED`,
 * `DATABASE_BUSY`.
 */
export async function openPostgresEngine(parameters: PostgresEngineParameters): Promise<SqlEngine> {
  const schemas = parameters.schemas?.length ? parameters.schemas : ['public'];
  const pool = openPostgres(parameters);
  let folding: string;
  try {
    folding = await findCaseFolding(pool);
  } catch (error) {
    await pool.close();
    throw error;
  }
  const complete = (sql: string) => (sql.includes(caseFolding) ? sql.replaceAll(caseFolding, folding) : sql);
  return {
    dialect: postgresDialect,
    introspect: () => introspectPostgres(pool, schemas),
    checks: () => readPostgresChecks(pool, schemas),
    async fingerprint() {
      const [row] = await pool.all(fingerprintQuery, [schemas]);
      return String(row?.['fingerprint']);
    },
    forgetStatements: pool.forgetStatements,
    read: (sql, bound, context) => pool.all(complete(sql), bound, context),
    transaction: (work, context) =>
      pool.transaction(
        (transaction) =>
          work({
            all: (sql, bound) => transaction.all(complete(sql), bound),
            run: (sql, bound) => transaction.run(complete(sql), bound),
          }),
        context,
      ),
    async runReadOnly(sql, values, context) {
      const query = bindNativeQuery(sql, values, postgresSyntax);
      try {
        return await pool.nativeQuery(query.sql, query.parameters, context);
      } catch (error) {
        throw nativeQueryError(error);
      }
    },
    async utcOffsets(zones, instants) {
      const rows = await pool.all(utcOffsetsQuery, [zones, instants.map((instant) => instant.toISOString())]);
      return new Map(rows.map((row) => [String(row['zone']), JSON.parse(String(row['offsets'])) as number[]]));
    },
    completed: complete,
    openConnections: pool.openConnections,
    close: pool.close,
  };
}

const utcOffsetsQuery = `
  select n.name as zone,
    json_agg(extract(epoch from (i.at at time zone n.name) - (i.at at time zone 'UTC'))::int order by i.at) as offsets
  from unnest($1::text[]) n(name) cross join unnest($2::timestamptz[]) i(at)
  where lower(n.name) in (select lower(z.name) from pg_catalog.pg_timezone_names z)
  group by n.name`;

/** Every letter of these has a lower case; the last one has another at the end of a word, which must not count. */
const letters = 'ÀÉЖΑΣ';
const lowerCase = 'àéжασ';

/**
 * The collation in which `lower` knows all of Unicode, letter by letter. It is that of the database when it does, since indexes
 * on `lower(column)` are in it. Else it is one that comes with PostgreSQL 17 and later, or with ICU. Some encodings have none:
 * there the database knows the letters of its own locale.
 */
async function findCaseFolding(pool: PostgresPool): Promise<string> {
  const [row] = await pool.all(collationQuery);
  const collation = row?.['collation'];
  if (typeof collation !== 'string') return '';
  // Another encoding may lack the letters, and then refuses to be asked for them.
  const isFolding = row?.['encoding'] === 'UTF8' && (await knowsAllLetters(pool));
  return isFolding ? '' : ` collate pg_catalog."${collation}"`;
}

/** ICU does not work in every encoding, and the other collation in one only. */
const collationQuery = `
  select pg_catalog.getdatabaseencoding() as encoding,
    (select c.collname from pg_catalog.pg_collation c
      where c.collname in ('pg_c_utf8', 'und-x-icu') and c.collnamespace = 'pg_catalog'::regnamespace
        and c.collencoding in (-1, pg_catalog.pg_char_to_encoding(pg_catalog.getdatabaseencoding()))
        and pg_catalog.getdatabaseencoding() not in ('SQL_ASCII', 'MULE_INTERNAL')
      order by c.collname limit 1) as collation`;

async function knowsAllLetters(pool: PostgresPool): Promise<boolean> {
  const [row] = await pool.all('select lower($1::text) = $2::text as "isFolding"', [letters, lowerCase]);
  return row?.['isFolding'] === 't';
}

/** The checks of tables, and those of the domains that columns have. */
const checks = `
  select n.nspname as schema, c.relname as "table", pg_catalog.pg_get_expr(k.conbin, k.conrelid) as text, null as "valueColumn"
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_class c on c.oid = k.conrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1::text[]) and k.contype = 'c'
  union all
  select n.nspname, c.relname, pg_catalog.pg_get_expr(k.conbin, 0), a.attname
  from pg_catalog.pg_constraint k
  join pg_catalog.pg_attribute a on a.atttypid = k.contypid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1::text[]) and k.contype = 'c' and k.contypid <> 0
  order by 1, 2, 3`;

async function readPostgresChecks(pool: PostgresPool, schemas: readonly string[]): Promise<readonly TableCheck[]> {
  const rows = await pool.transaction(
    async (transaction) => {
      await transaction.all(plainNames);
      return transaction.all(checks, [schemas]);
    },
    { isReadOnly: true },
  );
  return rows.map((row) => ({
    schema: String(row['schema']),
    table: String(row['table']),
    text: String(row['text']),
    ...(row['valueColumn'] === null ? {} : { valueColumn: String(row['valueColumn']) }),
  }));
}

/**
 * Texts (with backslash escapes after an `E`), quoted names, comments, dollar quotes, and words, which may hold a dollar sign.
 */
export const postgresSyntax: NativeSyntax = {
  parts:
    /[eE]'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|\\?$)|'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)[\s\S]*?(?:\1|$)|\$(?<name>[\p{L}_][\p{L}\p{N}_]*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'numbered',
};

/** SQLSTATE classes that are the doing of whoever wrote the query: syntax, names, values, writing where only reading is. */
const ownDoing = /^(?:0A|21|22|25|26|2F|42)/;

/** The failure of a native query, without its text, which may hold what is nobody's business. */
function nativeQueryError(error: unknown): unknown {
  const state = isCloudError(error) ? error.safeDetails['sqlState'] : undefined;
  if (typeof state !== 'string') return error;
  if (state === '25006') return refused('A native query may only read.', state, error);
  return ownDoing.test(state) ? refused(`The database refuses a native query (${state}).`, state, error) : error;
}

function refused(message: string, sqlState?: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    message,
    'Correct the query; it must be one query that only reads.',
    { ...(sqlState === undefined ? {} : { safeDetails: { sqlState } }), cause },
  );
}
