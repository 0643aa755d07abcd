import type { CollectionSchema, ColumnSchema, Timestamps } from '../../query/collection-schema.ts';
import type { SuggestedSettings } from '../interface/data-source.ts';
import type { KeptColumnSettings } from './kept-column-settings.ts';

/** Settings that columns such as `deleted_at` suggest, for the tables that no setting names. */
export function suggestedSettings(
  collections: readonly CollectionSchema[],
  { softDelete, timestamps }: KeptColumnSettings,
): SuggestedSettings {
  const writable = collections.filter(({ isReadOnly }) => !isReadOnly);
  return {
    softDelete: byTable(writable, softDelete, markOf),
    timestamps: byTable(writable, timestamps, timesOf),
  };
}

function byTable<Value>(
  collections: readonly CollectionSchema[],
  setting: false | Readonly<Record<string, unknown>> | undefined,
  suggestionOf: (collection: CollectionSchema) => Value | undefined,
): Readonly<Record<string, Value>> {
  const isOpen = (table: string) => setting !== false && !Object.hasOwn(setting ?? {}, table);
  const values = collections
    .filter(({ name }) => isOpen(name))
    .map((collection) => [collection.name, suggestionOf(collection)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, Value] => entry[1] !== undefined));
}

function markOf(collection: CollectionSchema): string | undefined {
  const column = timeColumn(collection, 'deleted');
  return column?.isNullable ? column.name : undefined;
}

/** The agent need not keep a time of creation that the database fills in. */
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
