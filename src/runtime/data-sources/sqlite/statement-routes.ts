import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { type ScanPlan, scanPlan } from './scan-plan.ts';
import { createTableSizes } from './table-sizes.ts';

/** Tells statements that are done in a moment from those that the agent must not wait for. */
export interface StatementRoutes {
  /** Whether one of our statements goes through a large table. */
  isLong(sql: string, parameters: readonly SqlValue[]): boolean;
  /** Whether somebody else's statement may: any loop can be long, a join of small tables for instance. */
  mayBeLong(sql: string, parameters: readonly SqlValue[]): boolean;
}

export interface RouteOptions {
  /** A table of more rows is large. By default that depends on the statement. */
  readonly largeTableRows?: number | undefined;
}

/** The rows that SQLite reads in some 5 ms: 20 million rows a second, or 3 million when a function of ours sees each. */
const largeTableRows = 100_000;
const largeTableRowsForFunctions = 15_000;
const callsFunction = /\b(?:simple_lower|matches_like|first_day|exact_\w+)\(/;
const pageOfAll = /^(?!.* where ).* limit \? offset \?$/s;

const maxRoutes = 1000;
const keptMs = 1_000;

type RowsOfPage = (parameters: readonly SqlValue[]) => number;

interface Route extends ScanPlan {
  /** The number of rows from which a table is large for it. */
  readonly rows: number;
  /** How many rows it goes through until its page ends; absent when it does not end there. */
  readonly rowsOfPage?: RowsOfPage | undefined;
  isLong: boolean;
  checkedAtMs: number;
}

/** Plans are looked up on `reader` once and kept until the schema changes. */
export function createStatementRoutes(reader: SqliteConnection, options: RouteOptions = {}): StatementRoutes {
  const sizes = createTableSizes(reader);
  let schema = readSchema(reader);
  let checkedAtMs = performance.now();

  function routeOf(sql: string, parameters: readonly SqlValue[], now: number): Route {
    if (now - checkedAtMs > keptMs) {
      checkedAtMs = now;
      if (schemaVersion(reader) !== schema.version) schema = readSchema(reader);
    }
    const { routes, tableOfRoot } = schema;
    const known = routes.get(sql);
    if (known) return known;
    const plan = scanPlan(reader, sql, parameters, tableOfRoot);
    const rows = options.largeTableRows ?? (callsFunction.test(sql) ? largeTableRowsForFunctions : largeTableRows);
    const rowsOfPage = plan.isGathering ? undefined : rowsOfPageOf(sql);
    const route = { ...plan, rows, rowsOfPage, isLong: false, checkedAtMs: Number.NEGATIVE_INFINITY };
    routes.set(sql, route);
    if (routes.size > maxRoutes) routes.delete(routes.keys().next().value ?? sql);
    return route;
  }

  return {
    isLong(sql, parameters) {
      const now = performance.now();
      const route = routeOf(sql, parameters, now);
      if (route.tables.length === 0) return false;
      if (route.rowsOfPage && route.rowsOfPage(parameters) <= route.rows) return false;
      if (now - route.checkedAtMs > keptMs) {
        route.checkedAtMs = now;
        route.isLong = route.tables.some((table) => sizes.isLarger(table, route.rows));
      }
      return route.isLong;
    },
    mayBeLong: (sql, parameters) => routeOf(sql, parameters, performance.now()).hasLoop,
  };
}

/** Facts that hold until the schema changes. */
interface KnownSchema {
  readonly version: unknown;
  readonly tableOfRoot: ReadonlyMap<number, string>;
  readonly routes: Map<string, Route>;
}

function readSchema(reader: SqliteConnection): KnownSchema {
  const rows = reader.all('select rootpage, tbl_name from sqlite_schema where rootpage > 0');
  const tableOfRoot = new Map(rows.map((row) => [Number(row['rootpage']), String(row['tbl_name'])]));
  return { version: schemaVersion(reader), tableOfRoot, routes: new Map() };
}

function schemaVersion(reader: SqliteConnection): unknown {
  return reader.all('pragma main.schema_version')[0]?.['schema_version'];
}

/** The rows that a page of all records of a table goes through, as `boundPage` writes it. */
function rowsOfPageOf(sql: string): RowsOfPage | undefined {
  if (!pageOfAll.test(sql)) return undefined;
  return (parameters) => Number(parameters.at(-1)) + Number(parameters.at(-2));
}
