import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

/** How a statement scans its tables. */
export interface ScanPlan {
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
 * Read from its program what a statement scans. EXPLAIN QUERY PLAN says less. It names aliases instead of tables, calls `max`
 * of a column without an index a search, and is silent on the scan behind an automatic index.
 *
 * @param tableOfRoot the table that a page is the root of, or the root of an index of.
 */
export function scanPlan(
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

const keptMs = 30_000;

/** Counting stops at the limit, so that it never takes long; a table that grows is noticed after half a minute. */
export function createTableSizes(reader: SqliteConnection): TableSizes {
  const known = new Map<string, { readonly isLarger: boolean; readonly atMs: number }>();
  return {
    isLarger(table, rows) {
      const key = `${rows} ${table}`;
      const now = performance.now();
      const kept = known.get(key);
      if (kept && now - kept.atMs <= keptMs) return kept.isLarger;
      const name = `"${table.replaceAll('"', '""')}"`;
      const isLarger = reader.all(`select 1 from main.${name} limit 1 offset ?`, [rows]).length > 0;
      known.set(key, { isLarger, atMs: now });
      return isLarger;
    },
  };
}

/** The rows that SQLite reads in some 5 ms: 20 million rows a second. */
const largeTableRows = 100_000;

/** What is done with each row. A function of ours and a comparison with a pattern take as long as six rows. */
const costlySteps = /\b(?:simple_lower|matches_like|first_day|exact_\w+)\(|\b(?:like|glob) /g;
const rowsOfCostlyStep = 6;

/** The number of rows from which a table is large for a statement; a power of two, so that few numbers are looked up. */
export function largeTableRowsOf(sql: string): number {
  const steps = sql.match(costlySteps)?.length ?? 0;
  if (steps === 0) return largeTableRows;
  return 2 ** Math.floor(Math.log2(largeTableRows / (1 + steps * rowsOfCostlyStep)));
}

const pageOfAll = /^(?!.* where ).* limit (\?|\d+) offset \?$/s;

export type RowsOfPage = (parameters: readonly SqlValue[]) => number;

/** The rows that a page of all records of a table goes through, as `plannedPaging` writes it. */
export function rowsOfPageOf(sql: string): RowsOfPage | undefined {
  const [, limit] = pageOfAll.exec(sql) ?? [];
  if (limit === undefined) return undefined;
  return (parameters) => Number(parameters.at(-1)) + Number(limit === '?' ? parameters.at(-2) : limit);
}
