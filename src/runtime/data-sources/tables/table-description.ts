import type { DeletionRule, InstantForm, TableName, WriteKind, WrittenBy } from '../../query/collection-schema.ts';
import type { ColumnType } from '../../query/column-type.ts';

/** A column as the catalogue of a database describes it, its type already neutral. */
export interface ColumnDescription {
  readonly name: string;
  readonly nativeType: string;
  readonly type: ColumnType;
  readonly isExact: boolean;
  /** Digits after the point of an exact number; by default as `nativeType` says. */
  readonly scale?: number;
  /** How the database keeps an instant as a number, where it does. */
  readonly instantForm?: InstantForm;
  /** A sample holds numbers of several kinds, or texts beside numbers. */
  readonly isInstantUnclear?: boolean;
  /** Dates may be `infinity` and `-infinity`, after and before all others; numbers `Infinity`, `-Infinity` and `NaN`. All are texts. */
  readonly hasInfinity?: boolean;
  /** Times are durations as well, from -838:59:59 to 838:59:59: those of MariaDB and MySQL. */
  readonly isDuration?: boolean;
  readonly isNullable: boolean;
  /** Records may hold null, and the database takes none any more. */
  readonly refusesNull?: boolean;
  readonly isGenerated: boolean;
  /** Generated when it is read, and not stored. */
  readonly isVirtual?: boolean;
  /** Numbered by the database where a record gives no value. */
  readonly isAutoIncrement: boolean;
  readonly hasDefault: boolean;
  /** Absent when there is none or it is an expression. */
  readonly defaultValue?: unknown;
  readonly enumValues?: readonly string[];
  /** A type that is only shown: never written, never filtered except for presence. */
  readonly isOpaque?: boolean;
  /** The user of the database may write it neither in a new row nor in one that is there. */
  readonly isWriteDenied?: boolean;
  /** The user of the database may write it in one way only: in a row that is there, or in a new one. */
  readonly writtenBy?: WrittenBy;
  readonly comment?: string;
}

export interface ForeignKeyDescription {
  readonly columns: readonly string[];
  /** The name of the collection. */
  readonly foreignTable: string;
  readonly foreignColumns: readonly string[];
  /** Absent where the data source keeps no foreign keys by itself. */
  readonly onDelete?: DeletionRule;
}

const deletionRules: Readonly<Record<string, DeletionRule>> = {
  CASCADE: 'cascade',
  'SET NULL': 'unlink',
  'SET DEFAULT': 'unlink',
};

/** The rule that SQL calls so. */
export function deletionRuleOf(name: unknown): DeletionRule {
  return deletionRules[String(name)] ?? 'refuse';
}

export interface TableDescription {
  /** The name of the collection. */
  readonly name: string;
  /** The place of the table, when the name of the collection alone does not find it. */
  readonly table?: TableName;
  readonly comment?: string;
  readonly isView: boolean;
  readonly columns: readonly ColumnDescription[];
  /** The user of the database may neither insert, update nor delete. */
  readonly isWriteDenied?: boolean;
  /** Some of these, which the user of the database may not do; absent where it may do all of them, or nothing. */
  readonly deniedWrites?: readonly WriteKind[];
  /** The database does not return a row that its user inserts, because the user may not insert some of the columns. */
  readonly hidesCreated?: boolean;
  /** Other tables inherit from it: their rows count as its own, and its keys are unique in each table only. */
  readonly hasChildTables?: boolean;
  /** Rows with different keys may have one id, whatever the database keeps unique. */
  readonly hasLooseKey?: boolean;
  /** Triggers run before a row is updated or deleted: they may change its key, or keep it as it is. */
  readonly hasWriteTriggers?: boolean;
  /** Triggers or rules replace a deletion: they may mark the row, and keep it. */
  readonly hasDeleteTriggers?: boolean;
  /** Triggers run after a row was inserted, and may change it. */
  readonly hasInsertTriggers?: boolean;
  /** Writes to it cannot be rolled back, because its engine has no transactions. */
  readonly hasNoTransactions?: boolean;
  /** The address of a row when the table has no key; not part of `columns`. */
  readonly rowAddress?: ColumnDescription | undefined;
  /** In table order; empty when there is no key. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKeyDescription[];
  /** Column sets that are unique beside the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

/** The columns that address records. */
interface TableKey {
  /** In table order; empty when nothing tells the records apart. */
  readonly columns: readonly string[];
  /** The database keeps two records from having the same key. Otherwise records are only read. */
  readonly isDeclared: boolean;
  /** The address of a row, where it is the key: a column that the database has for every table. */
  readonly rowAddress?: ColumnDescription | undefined;
}

/**
 * The declared key; else the smallest unique set of columns that are never null, which identifies a record as well.
 *
 * Other tables are read-only. They are addressed by the smallest unique set of columns, then by the column `id`, then by
 * the address of the row. A view declares nothing: its column `id`, else its first column, stands in.
 */
export function keyOfTable(table: TableDescription): TableKey {
  const { columns, isView, rowAddress } = table;
  if (table.primaryKey.length > 0) return { columns: table.primaryKey, isDeclared: true };
  const id = columns.find((column) => column.name.toLowerCase() === 'id');
  if (isView) {
    const key = id ?? columns[0];
    return { columns: key ? [key.name] : [], isDeclared: false };
  }
  const isNeverNull = (name: string) => columns.some((column) => column.name === name && !column.isNullable);
  const neverNull = smallest(
    table,
    table.uniqueKeys.filter((names) => names.every(isNeverNull)),
  );
  if (neverNull) return { columns: neverNull, isDeclared: true };
  const standIn = smallest(table, table.uniqueKeys) ?? (id ? [id.name] : undefined);
  if (standIn) return { columns: standIn, isDeclared: false };
  return { columns: rowAddress ? [rowAddress.name] : [], isDeclared: false, rowAddress };
}

/** One sentence about the tables whose records have no address at all. */
export function keyWarnings(tables: readonly TableDescription[]): string[] {
  const without = tables.filter((table) => keyOfTable(table).columns.length === 0).map(({ name }) => name);
  if (without.length === 0) return [];
  const names = without.slice(0, namesShown).join(', ');
  const more = without.length > namesShown ? ` and ${without.length - namesShown} more` : '';
  return [
    `The records of tables without any key have no id: ${names}${more}. Exports, charts and MCP show them, and lists over REST do not.`,
  ];
}

const namesShown = 5;

/** One sentence for all that the user of the database may not read: it may hold thousands of tables of others. */
export function unreadableWarning(kind: 'column' | 'table', places: readonly string[]): string[] {
  if (places.length === 0) return [];
  const named = places.slice(0, namesShown).join(', ');
  const more = places.length > namesShown ? ` and ${places.length - namesShown} more` : '';
  const [subject, object] = places.length === 1 ? [`1 ${kind} is`, 'it'] : [`${places.length} ${kind}s are`, 'them'];
  return [`${subject} left out, because the database user may not read ${object}: ${named}${more}.`];
}

/** What the user of the database may do with a table; each is a part of a table or of a column. */
export interface WriteRights {
  readonly add: boolean;
  readonly edit: boolean;
  readonly delete: boolean;
}

/** The kinds of writes that nobody may make on a table, as its description has them. */
export function deniedByRights(rights: WriteRights): Pick<TableDescription, 'isWriteDenied' | 'deniedWrites'> {
  const denied = (['add', 'edit', 'delete'] as const).filter((kind) => !rights[kind]);
  if (denied.length === 0) return {};
  return denied.length === 3 ? { isWriteDenied: true } : { deniedWrites: denied };
}

/** The same for a column. */
export function writtenByRights({
  add,
  edit,
}: Omit<WriteRights, 'delete'>): Pick<ColumnDescription, 'isWriteDenied' | 'writtenBy'> {
  if (add && edit) return {};
  return add || edit ? { writtenBy: add ? 'add' : 'edit' } : { isWriteDenied: true };
}

/** The first of the smallest sets, its columns in table order. */
function smallest(table: TableDescription, keys: readonly (readonly string[])[]): readonly string[] | undefined {
  const [key] = keys.toSorted((a, b) => a.length - b.length);
  return key && table.columns.map((column) => column.name).filter((name) => key.includes(name));
}
