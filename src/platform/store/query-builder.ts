import {
  CamelCasePlugin,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Carries out one statement of a query builder. */
export interface Statements {
  /** A statement that gives rows. */
  all(sql: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]> | readonly SqlRow[];
  /** Any other statement; how many rows it changed. A builder without it only reads. */
  run?(sql: string, parameters: readonly SqlValue[]): Promise<number> | number;
}

/** SQLite plans a statement again for each value of a limit that is a parameter, so the limit is in the text. */
class SqliteTexts extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ');
    if (ValueNode.is(limit)) this.appendImmediateValue(limit.value);
    else this.visitNode(limit);
  }
}

const parts = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createQueryCompiler: () => new SqliteTexts(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  },
} as const;

/** A query builder for `statements`. Columns are `camelCase` in code and `snake_case` in the store. */
export function createQueryBuilder(engine: Store['engine'], statements: Statements): Kysely<Tables> {
  const dialect: Dialect = { ...parts[engine], createDriver: () => driverOn(statements) };
  return new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] });
}

/** Transactions are those of the store, so that the driver has none. */
function driverOn(statements: Statements): Driver {
  const connection: DatabaseConnection = {
    executeQuery: (query) => execute(query, statements) as Promise<QueryResult<never>>,
    streamQuery: () => {
      throw new TypeError('The store reads in pages.');
    },
  };
  const refuse = async () => {
    throw new TypeError('Use the transactions of the store.');
  };
  return {
    init: async () => undefined,
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => undefined,
    destroy: async () => undefined,
  };
}

async function execute(query: CompiledQuery, statements: Statements): Promise<QueryResult<unknown>> {
  const parameters = query.parameters as readonly SqlValue[];
  const isRead = readsOnly(query);
  if (!isRead && !statements.run) throw writeOutside();
  if (isRead || returnsRows(query)) return { rows: [...(await statements.all(query.sql, parameters))] };
  return { rows: [], numAffectedRows: BigInt((await statements.run?.(query.sql, parameters)) ?? 0) };
}

function readsOnly({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql));
}

function returnsRows({ query }: CompiledQuery): boolean {
  return 'returning' in query && query.returning !== undefined;
}

function writeOutside(): CloudError {
  return cloudError('INTERNAL_BUG', 'A write outside of the transactions of the store.');
}
