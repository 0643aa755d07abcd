import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

/** Whether tables are large, looked up now and then. */
export interface TableSizes {
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
