import type { DataSource } from '../../data-sources/interface/data-source.ts';
import type { CollectionSchema, FieldSchema } from '../../query/collection-schema.ts';

/** A column, to see whether it has changed. */
interface OutlinedColumn {
  /** As the database calls it, with what it forbids: `integer not null`. */
  readonly type: string;
  /** Everything else, as a text to compare. */
  readonly rest: string;
}

interface OutlinedTable {
  readonly columns: Readonly<Record<string, OutlinedColumn>>;
  /** Keys, relations and rules, as a text to compare. */
  readonly rest: string;
}

/** What the data sources of an agent have read of their databases. */
export interface TablesOutline {
  /** By their names as collections. */
  readonly tables: Readonly<Record<string, OutlinedTable>>;
  /** What was left out, or could not be read. */
  readonly warnings: readonly string[];
}

export function outlineTables(sources: readonly DataSource[]): TablesOutline {
  const collections = sources.flatMap((source) => source.collections);
  return {
    tables: Object.fromEntries(collections.map((collection) => [collection.name, outlineOf(collection)])),
    warnings: sources.flatMap((source) => source.warnings ?? []),
  };
}

function outlineOf({ fields, comment: _comment, ...rest }: CollectionSchema): OutlinedTable {
  const columns: [string, OutlinedColumn][] = [];
  const relations: FieldSchema[] = [];
  for (const field of fields.values()) {
    if (field.kind !== 'column') {
      relations.push(field);
      continue;
    }
    // What can be asked of a column follows from its type.
    const { nativeType, operators: _operators, ...other } = field;
    columns.push([
      field.name,
      { type: field.isNullable ? nativeType : `${nativeType} not null`, rest: JSON.stringify(other) },
    ]);
  }
  return { columns: Object.fromEntries(columns), rest: JSON.stringify({ ...rest, relations }) };
}
