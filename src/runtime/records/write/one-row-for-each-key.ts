import type { CloudError } from '#kernel/errors/cloud-error';
import { writeDropped } from '#node/database/database-errors';
import type { QueryContext, RecordStore, TellKeys } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { countNamedKeys } from '../../model/key-order.ts';
import { packedKey, recordAmbiguous, requireDistinctKeys } from '../../model/record-id.ts';
import type { FieldSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { UnitOfWork } from '../calls/unit-of-work.ts';
import { changedAttributes } from './write-attributes.ts';

/** A write by keys, and what it has done. */
interface WriteByKeys {
  readonly where: ConditionTree | undefined;
  readonly context: QueryContext;
  readonly tell: TellKeys | undefined;
  write(tell: TellKeys | undefined): Promise<number>;
  /** Whether a row that the condition still finds after the write is as the write wanted it, by what a trigger has done. */
  isAsWanted(row: RecordData): boolean;
  /** The columns that `isAsWanted` looks at. */
  readonly columns: readonly string[];
}

/**
 * The store of a transaction, whose writes change exactly one row for each key that their condition names. The write is refused
 * whatever makes a key mean several rows: an index that is not valid, child tables, or one value in several forms. It is also
 * refused if a trigger keeps a row from being written. The whole transaction is undone, also where code catches the error.
 *
 * A write that does what it should takes no further statement: it says how many rows it changed, or returns their keys. The rows
 * are read before only where there are no transactions, and where a trigger may leave one of two rows with the same id.
 */
export function oneRowForEachKey(store: RecordStore, collection: CompiledCollection, unit: UnitOfWork): RecordStore {
  const { name, primaryKey, native } = collection;
  const refuse = (error: CloudError): never => {
    unit.beforeCommit(() => Promise.reject(error));
    throw error;
  };

  async function guarded({ where, context, tell, write, isAsWanted, columns }: WriteByKeys): Promise<number> {
    const named = countNamedKeys(where, primaryKey);
    if (named === undefined) return write(tell);
    if (native.hasNoTransactions || (native.hasLooseKey && native.hasWriteTriggers)) {
      requireDistinctKeys(collection, await store.list({ collection: name, projection: primaryKey, where }, context));
    }
    const keys = new Set<string>();
    let told = 0;
    const listen: TellKeys = (records) => {
      told += records.length;
      for (const record of records) keys.add(keyOf(record, primaryKey));
      tell?.(records);
    };
    const isListening = tell !== undefined || (named > 1 && store.returnsKeys === true);
    const written = await write(isListening ? listen : undefined);
    if (written > named || told > keys.size) return refuse(recordAmbiguous(collection));
    // A trigger can keep a row from being written only where the database can return what it wrote.
    if (written === named || !store.returnsKeys) return written;
    const projection = [...new Set([...primaryKey, ...columns])];
    const rows = await store.list({ collection: name, projection, where }, context);
    const left = rows.filter((row) => !keys.has(keyOf(row, primaryKey)));
    if (!left.every(isAsWanted)) return refuse(writeDropped(name));
    return written + left.length;
  }

  /** What tells whether a trigger has marked a row in the place of its deletion: any of its columns is another one then. */
  async function marking(where: ConditionTree | undefined, context: QueryContext) {
    const isMarked = native.hasDeleteTriggers === true && countNamedKeys(where, primaryKey) !== undefined;
    const columns = isMarked ? [...native.fields.values()].flatMap(storedColumn) : [];
    const formOf = (row: RecordData) => JSON.stringify(columns.map((column) => row[column]));
    const before = isMarked ? await store.list({ collection: name, projection: columns, where }, context) : [];
    const forms = new Map(before.map((row) => [keyOf(row, primaryKey), formOf(row)]));
    return { columns, isAsWanted: (row: RecordData) => isMarked && forms.get(keyOf(row, primaryKey)) !== formOf(row) };
  }

  return {
    ...store,
    update: (of, where, patch, context, tell) =>
      guarded({
        where,
        context,
        tell,
        write: (listener) => store.update(of, where, patch, context, listener),
        // A trigger may carry out an update in another way, for instance by moving the row to another table.
        isAsWanted: (row) => Object.keys(changedAttributes(collection, patch, row)).length === 0,
        columns: Object.keys(patch),
      }),
    delete: async (of, where, context, tell) =>
      guarded({
        where,
        context,
        tell,
        write: (listener) => store.delete(of, where, context, listener),
        ...(await marking(where, context)),
      }),
  };
}

function storedColumn(field: FieldSchema): string[] {
  return field.kind === 'column' && !field.expression ? [field.name] : [];
}

function keyOf(record: RecordData, primaryKey: readonly string[]): string {
  return primaryKey.map((key) => packedKey([record[key]])).join('|');
}
