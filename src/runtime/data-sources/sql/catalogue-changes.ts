import type { ColumnType } from '../../query/column-type.ts';
import type { ColumnDescription, TableDescription } from '../tables/table-description.ts';

/** What is no longer as it was read at the start. */
export interface CatalogueChanges {
  /** One sentence each. */
  readonly sentences: readonly string[];
  /**
   * Why a table cannot be written any more, by collection: values of one of its columns, or its records, are compared in
   * another way now than the agent thinks.
   */
  readonly unwritable: ReadonlyMap<string, string>;
  /** Tables and columns that are no longer there. */
  readonly gone: readonly GoneElement[];
}

interface GoneElement {
  /** The table and the column as statements name them; the table alone where that is gone. */
  readonly names: readonly string[];
  readonly sentence: string;
}

/** Compare the tables that an agent works with to those that are there now. What is new concerns nobody yet. */
export function catalogueChanges(
  known: readonly TableDescription[],
  current: readonly TableDescription[],
): CatalogueChanges {
  const tables = new Map(current.map((table) => [table.name, table]));
  const sentences: string[] = [];
  const unwritable = new Map<string, string>();
  const gone: GoneElement[] = [];
  for (const table of known) {
    const now = tables.get(table.name);
    if (!now) {
      const sentence = `The table "${table.name}" is no longer there.`;
      sentences.push(sentence);
      gone.push({ names: [tableNameOf(table)], sentence });
      continue;
    }
    const { said, grave } = tableChanges(table, now);
    sentences.push(...said);
    gone.push(...goneColumns(table, now));
    if (grave !== undefined) unwritable.set(table.name, grave);
  }
  return { sentences, unwritable, gone };
}

function goneColumns(table: TableDescription, now: TableDescription): readonly GoneElement[] {
  const left = new Set(now.columns.map(({ name }) => name));
  return table.columns
    .filter(({ name }) => !left.has(name))
    .map(({ name }) => ({ names: [tableNameOf(table), name], sentence: goneColumn(name, table.name) }));
}

function tableNameOf({ table, name }: TableDescription): string {
  return table?.name ?? name;
}

function goneColumn(column: string, table: string): string {
  return `The column "${column}" of "${table}" is no longer there.`;
}

function tableChanges(
  table: TableDescription,
  now: TableDescription,
): { readonly said: readonly string[]; readonly grave: string | undefined } {
  const said: string[] = [];
  let grave: string | undefined;
  if (JSON.stringify(table.primaryKey) !== JSON.stringify(now.primaryKey)) {
    grave = `The primary key of "${table.name}" has changed${fromTo(table.primaryKey.join(', '), now.primaryKey.join(', '))}.`;
    said.push(grave);
  }
  const columns = new Map(now.columns.map((column) => [column.name, column]));
  for (const column of table.columns) {
    const changed = columnChange(table.name, column, columns.get(column.name));
    if (!changed) continue;
    said.push(changed.sentence);
    if (changed.isGrave) grave ??= changed.sentence;
  }
  return { said, grave };
}

function columnChange(table: string, column: ColumnDescription, now: ColumnDescription | undefined) {
  const subject = `The column "${column.name}" of "${table}"`;
  if (!now) return { sentence: goneColumn(column.name, table), isGrave: false };
  if (column.nativeType !== now.nativeType) {
    const sentence = `${subject} has changed${fromTo(column.nativeType, now.nativeType)}.`;
    return { sentence, isGrave: kindOf(column.type) !== kindOf(now.type) };
  }
  const isSame = JSON.stringify({ ...column, comment: '' }) === JSON.stringify({ ...now, comment: '' });
  return isSame ? undefined : { sentence: `${subject} is defined in another way.`, isGrave: false };
}

function fromTo(before: string, now: string): string {
  return ` from ${before || 'none'} to ${now || 'none'}`;
}

/** Columns of one kind take the same values and compare them alike. */
function kindOf(type: ColumnType): string {
  return type === 'Enum' || type === 'Uuid' ? 'String' : JSON.stringify(type).replaceAll('"', '');
}
