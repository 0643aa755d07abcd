import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName, unknownOption } from '#kernel/text/nearest-name';
import type {
  CollectionSchema,
  ColumnSchema,
  FieldSchema,
  InstantForm,
  Timestamps,
} from '../../query/collection-schema.ts';
import type { SuggestedSettings } from '../interface/data-source.ts';

/** Columns of tables that the data source writes itself. Nothing is guessed by the names of columns. */
export interface KeptColumnSettings {
  /**
   * Tables whose records are marked when they are deleted, by the column that takes the time: `{ orders: 'deleted_at' }`.
   * What is marked is hidden everywhere. `false` says that deletion removes the records of a table, or of all tables.
   */
  readonly softDelete?: false | Readonly<Record<string, string | false>> | undefined;
  /**
   * Tables whose columns take the time of creation and of the last change: `{ orders: { created: 'created_at', updated:
   * 'updated_at' } }`. `false` says that nothing is kept in a table, or in all tables.
   */
  readonly timestamps?: false | Readonly<Record<string, Timestamps | false>> | undefined;
  /**
   * SQLite: what the numbers of columns of instants stand for, by table and column: `{ users: { created_at: 'milliseconds' } }`. By
   * default a sample of each column says it. `texts` writes texts, and takes each number that is there by its size.
   */
  readonly instants?: Readonly<Record<string, Readonly<Record<string, InstantForm | 'texts'>>>> | undefined;
}

/**
 * The collections with what the settings say of their tables. The columns are read-only: clients cannot write them.
 *
 * @throws `AGENT_OPTION_INVALID` for a table or column that is not there, or that cannot take a time.
 */
export function withKeptColumns(
  collections: readonly CollectionSchema[],
  { softDelete, timestamps, instants = {} }: KeptColumnSettings,
): readonly CollectionSchema[] {
  const marks = softDelete || {};
  const times = timestamps || {};
  checkTables('softDelete', Object.keys(marks), collections);
  checkTables('timestamps', Object.keys(times), collections);
  checkTables('instants', Object.keys(instants), collections);
  const formed = collections.map((collection) => withInstants(collection, ownValue(instants, collection.name)));
  return formed.map((collection) => {
    const mark = ownValue(marks, collection.name);
    const kept = ownValue(times, collection.name);
    if (!mark && !kept) return collection;
    const columns = [...(mark ? [markColumn(collection, mark)] : []), ...(kept ? timeColumns(collection, kept) : [])];
    const fields = new Map<string, FieldSchema>(collection.fields);
    for (const column of columns) fields.set(column.name, { ...column, isReadOnly: true });
    return {
      ...collection,
      fields,
      ...(mark ? { softDelete: { column: mark } } : {}),
      ...(kept ? { timestamps: kept } : {}),
    };
  });
}

function withInstants(
  collection: CollectionSchema,
  forms: Readonly<Record<string, InstantForm | 'texts'>> | undefined,
): CollectionSchema {
  if (!forms) return collection;
  const fields = new Map<string, FieldSchema>(collection.fields);
  for (const [name, form] of Object.entries(forms)) {
    const field = fields.get(name);
    const place = `instants.${collection.name}.${name}`;
    if (field?.kind !== 'column' || field.type !== 'Date') throw invalid(place, 'there is no such column of instants.');
    const { instantForm: _sampled, ...column } = field;
    fields.set(name, form === 'texts' ? column : { ...column, instantForm: form });
  }
  return { ...collection, fields };
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function checkTables(setting: string, tables: readonly string[], collections: readonly CollectionSchema[]): void {
  const known = new Set(collections.map(({ name }) => name));
  const missing = tables.find((table) => !known.has(table));
  if (missing === undefined) return;
  throw invalid(`${setting}.${missing}`, `there is no such table.${didYouMean(nearestName(missing, known))}`);
}

function markColumn(collection: CollectionSchema, name: string): ColumnSchema {
  const column = timeColumn(collection, name, 'softDelete');
  if (column.isNullable) return column;
  throw invalid(`softDelete.${collection.name}`, `the column "${name}" must take null, for records that are there.`);
}

function timeColumns(collection: CollectionSchema, kept: Timestamps): readonly ColumnSchema[] {
  const problem = unknownOption(kept, ['created', 'updated']);
  if (problem !== undefined) throw invalid(`timestamps.${collection.name}`, `it has ${problem}`);
  const named = [kept.created, kept.updated].filter((name) => name !== undefined);
  return named.map((name) => timeColumn(collection, name, 'timestamps'));
}

function timeColumn({ name: table, isReadOnly, fields }: CollectionSchema, name: string, setting: string) {
  const place = `${setting}.${table}`;
  if (isReadOnly) throw invalid(place, 'the table cannot be written.');
  const column = fields.get(name);
  if (column?.kind !== 'column') {
    throw invalid(place, `the table has no column "${name}".${didYouMean(nearestName(name, fields.keys()))}`);
  }
  const takesTime = column.type === 'Date' || column.type === 'Dateonly';
  if (takesTime && !column.isReadOnly) return column;
  throw invalid(place, `the column "${name}" must be a date that can be written; it is ${column.nativeType}.`);
}

function invalid(setting: string, problem: string): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    `The setting ${setting} of a data source cannot be used: ${problem}`,
    'Correct it where the data source is created, or in vendor-cloud.json.',
  );
}

/** Settings that columns such as `deleted_at` suggest, for the tables that no setting names. */
export function suggestedSettings(
  collections: readonly CollectionSchema[],
  { softDelete, timestamps, instants }: KeptColumnSettings,
): SuggestedSettings {
  const writable = collections.filter(({ isReadOnly }) => !isReadOnly);
  const sampled = (isTaken: (column: ColumnSchema) => boolean) =>
    byTable(collections, undefined, ({ name: table, fields }) => {
      const forms = [...fields.values()].flatMap((field) => {
        const isNamed = Object.hasOwn(ownValue(instants ?? {}, table) ?? {}, field.name);
        return field.kind === 'column' && !isNamed && isTaken(field)
          ? [[field.name, field.instantForm ?? 'texts']]
          : [];
      });
      return forms.length > 0 ? Object.fromEntries(forms) : undefined;
    });
  const [clear, unclear] = [
    sampled((column) => column.instantForm !== undefined && !column.isInstantUnclear),
    sampled((column) => column.isInstantUnclear === true),
  ];
  return {
    softDelete: byTable(writable, softDelete, markOf),
    timestamps: byTable(writable, timestamps, timesOf),
    ...(Object.keys(clear).length > 0 ? { instants: clear } : {}),
    ...(Object.keys(unclear).length > 0 ? { unclearInstants: unclear } : {}),
  };
}

const formNames: Readonly<Record<InstantForm, string>> = {
  milliseconds: 'milliseconds since 1970',
  seconds: 'seconds since 1970',
  julianDays: 'Julian days',
};

const placesShown = 5;

/** A warning about the instants whose form only a sample says. */
export function instantWarning({ instants = {}, unclearInstants = {} }: SuggestedSettings): string[] {
  const places = [instants, unclearInstants].flatMap((forms) =>
    Object.entries(forms).flatMap(([table, columns]) =>
      Object.entries(columns).flatMap(([column, form]) =>
        form === 'texts' ? [] : [`${table}.${column} (${formNames[form]})`],
      ),
    ),
  );
  if (places.length === 0) return [];
  const more = places.length > placesShown ? ` and ${places.length - placesShown} more` : '';
  const named = `${places.slice(0, placesShown).join(', ')}${more}`;
  return [
    `Instants are kept as numbers, as a sample says, and are read and written so: ${named}. The setting "instants" says otherwise.`,
  ];
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
  const column = columnOfEvent(collection, 'deleted');
  return column?.isNullable ? column.name : undefined;
}

/** The agent need not keep a time of creation that the database fills in. */
function timesOf(collection: CollectionSchema): Timestamps | undefined {
  const created = columnOfEvent(collection, 'created');
  const isDemanded = created && !created.isNullable && !created.hasDefault;
  const updated = columnOfEvent(collection, 'updated');
  if (!isDemanded && !updated) return undefined;
  return { ...(isDemanded ? { created: created.name } : {}), ...(updated ? { updated: updated.name } : {}) };
}

/** `deleted_at`, `deletedAt`, `deleted_on` and the like, where they are dates that can be written. */
function columnOfEvent(
  { fields }: CollectionSchema,
  event: 'deleted' | 'created' | 'updated',
): ColumnSchema | undefined {
  for (const field of fields.values()) {
    if (field.kind !== 'column' || field.isReadOnly || field.writtenBy) continue;
    if (field.type !== 'Date' && field.type !== 'Dateonly') continue;
    const name = field.name.toLowerCase().replaceAll('_', '');
    if (name === `${event}at` || name === `${event}on`) return field;
  }
  return undefined;
}
