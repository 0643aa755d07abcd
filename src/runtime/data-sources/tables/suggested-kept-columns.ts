import type { CollectionSchema, ColumnSchema, Timestamps } from '../../query/collection-schema.ts';
import type { KeptColumnSettings } from './kept-column-settings.ts';

/** Columns that look as if an application kept them. */
interface SuggestedColumns {
  readonly table: string;
  readonly softDelete?: string;
  readonly timestamps?: Timestamps;
}

const mostTables = 20;

/** One sentence about the tables whose columns look like soft deletes or timestamps, where no setting says what they are. */
export function keptColumnWarnings(collections: readonly CollectionSchema[], settings: KeptColumnSettings): string[] {
  const suggested = suggestedColumns(collections, settings);
  if (suggested.length === 0) return [];
  const tables = suggested.slice(0, mostTables).map(({ table, softDelete, timestamps }) => {
    const columns = [softDelete, timestamps?.created, timestamps?.updated].filter((name) => name !== undefined);
    return `${table} (${columns.join(', ')})`;
  });
  const more = suggested.length > mostTables ? ` and ${suggested.length - mostTables} more` : '';
  return [
    `Columns look like soft deletes or timestamps, but no setting says that the data source keeps them: ${tables.join(', ')}${more}. ` +
      'Deletion removes records of these tables, and clients write the times. ' +
      'Name the columns in "softDelete" and "timestamps" of the data source, or set false where nothing is kept.',
  ];
}

function suggestedColumns(
  collections: readonly CollectionSchema[],
  { softDelete, timestamps }: KeptColumnSettings,
): readonly SuggestedColumns[] {
  const isOpen = (setting: false | Readonly<Record<string, unknown>> | undefined, table: string) =>
    setting !== false && !Object.hasOwn(setting ?? {}, table);
  return collections.flatMap((collection) => {
    const { name: table, isReadOnly } = collection;
    if (isReadOnly) return [];
    const mark = isOpen(softDelete, table) ? markOf(collection) : undefined;
    const times = isOpen(timestamps, table) ? timesOf(collection) : undefined;
    if (!mark && !times) return [];
    return [{ table, ...(mark ? { softDelete: mark } : {}), ...(times ? { timestamps: times } : {}) }];
  });
}

function markOf(collection: CollectionSchema): string | undefined {
  const column = timeColumn(collection, 'deleted');
  return column?.isNullable ? column.name : undefined;
}

/** A time of creation that the database fills in itself needs nobody else. */
function timesOf(collection: CollectionSchema): Timestamps | undefined {
  const created = timeColumn(collection, 'created');
  const isDemanded = created && !created.isNullable && !created.hasDefault;
  const updated = timeColumn(collection, 'updated');
  if (!isDemanded && !updated) return undefined;
  return { ...(isDemanded ? { created: created.name } : {}), ...(updated ? { updated: updated.name } : {}) };
}

/** `deleted_at`, `deletedAt`, `deleted_on` and the like, where they are dates that can be written. */
function timeColumn({ fields }: CollectionSchema, event: 'deleted' | 'created' | 'updated'): ColumnSchema | undefined {
  for (const field of fields.values()) {
    if (field.kind !== 'column' || field.isReadOnly || (field.type !== 'Date' && field.type !== 'Dateonly')) continue;
    const name = field.name.toLowerCase().replaceAll('_', '');
    if (name === `${event}at` || name === `${event}on`) return field;
  }
  return undefined;
}
