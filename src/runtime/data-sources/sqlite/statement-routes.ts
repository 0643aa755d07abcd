import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

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

/** How a statement scans its tables. */
interface ScanPlan {
  /** The tables that are read whole, or until there are rows enough; by themselves or by one of their indexes. */
  readonly tables: readonly string[];
  /** Rows are kept before the first one comes out: to sort or group them, or for an index of the moment. */
  readonly isGathering: boolean;
  /** Without a loop a statement takes the same time whatever is in its tables. */
  readonly hasLoop: boolean;
}

const mainDatabase = 0;
const openings = new Set(['OpenRead', 'ReopenIdx']);
const steps = new Set(['Next', 'Prev']);
const otherLoops = new Set(['VNext', 'SorterNext', 'Yield']);
const gatherings = new Set(['SorterOpen', 'OpenEphemeral', 'OpenAutoindex']);

/**
 * Read from its program what a statement scans. EXPLAIN QUERY PLAN says less: it names aliases instead of tables, calls
 * `max` of a column without an index a search, and is silent on the scan behind an automatic index.
 *
 * @param tableOfRoot the table that a page is the root of, or the root of an index of.
 */
function scanPlan(
  connection: SqliteConnection,
  sql: string,
  parameters: readonly SqlValue[],
  tableOfRoot: ReadonlyMap<number, string>,
): ScanPlan {
  const program = [...connection.each(`explain ${sql}`, parameters)];
  const tableOfCursor = new Map<number, string>();
  const rewound = new Set<number>();
  const stepped = new Set<number>();
  for (const instruction of program) {
    const opcode = String(instruction['opcode']);
    const cursor = operand(instruction, 'p1');
    const table = tableOfRoot.get(operand(instruction, 'p2'));
    const isOpening = openings.has(opcode) && operand(instruction, 'p3') === mainDatabase;
    if (isOpening && table !== undefined) tableOfCursor.set(cursor, table);
    if (opcode === 'Rewind' || opcode === 'Last') rewound.add(cursor);
    if (steps.has(opcode)) stepped.add(cursor);
  }
  const tables = [...rewound.intersection(stepped)].flatMap((cursor) => tableOfCursor.get(cursor) ?? []);
  return {
    tables: [...new Set(tables)],
    isGathering: program.some(({ opcode }) => gatherings.has(String(opcode))),
    hasLoop: stepped.size > 0 || program.some(({ opcode }) => otherLoops.has(String(opcode))),
  };
}

function operand(instruction: SqlRow, name: string): number {
  return Number(instruction[name]);
}

/** Whether tables are large, looked up now and then. */
interface TableSizes {
  isLarger(table: string, rows: number): boolean;
}

const sizeKeptMs = 30_000;

/** Counting stops at the limit, so that it never takes long; a table that grows is noticed after half a minute. */
function createTableSizes(reader: SqliteConnection): TableSizes {
  const known = new Map<string, { readonly isLarger: boolean; readonly atMs: number }>();
  return {
    isLarger(table, rows) {
      const key = `${rows} ${table}`;
      const now = performance.now();
      const kept = known.get(key);
      if (kept && now - kept.atMs <= sizeKeptMs) return kept.isLarger;
      const name = `"${table.replaceAll('"', '""')}"`;
      const isLarger = reader.all(`select 1 from main.${name} limit 1 offset ?`, [rows]).length > 0;
      known.set(key, { isLarger, atMs: now });
      return isLarger;
    },
  };
}
