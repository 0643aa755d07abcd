import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { QueryContext } from '../interface/data-source.ts';
import { isStored } from './compile-statements.ts';
import type { KeyRules, SqlTransaction } from './sql-dialect.ts';
import type { SqlStatements } from './sql-statements.ts';
import { bindParameters } from './statement-parameters.ts';

/**
 * Create records where the engine does not return them: each is read again by its key, in the transaction of its INSERT.
 *
 * @throws `DATABASE_CREATED_KEY_UNKNOWN` where the key cannot be known: another record must not be answered.
 */
export async function insertAndRead(
  transaction: SqlTransaction,
  rules: KeyRules,
  statements: SqlStatements,
  collection: string,
  records: readonly RecordData[],
  context: QueryContext,
): Promise<RecordData[]> {
  const schema = statements.collection(collection);
  const read = (record: RecordData) => readByKey(transaction, statements, schema, record, context);
  const created: RecordData[] = [];
  for (const record of records) {
    const keyed = await rules.withKey(record);
    const isTaken = rules.mayChange && (await read(keyed)) !== undefined;
    const { plan, values } = statements.insert(collection, [keyed]);
    const number = await transaction.insert?.(plan.sql, bindParameters(plan.parameters, values, context));
    const given = { ...rules.counted(number ?? null), ...keyed };
    const written = isTaken ? undefined : await read(given);
    // No trigger changes the key, so that only a column can have made it another value.
    const found = written ?? (rules.mayChange ? undefined : await read(await rules.stored(given)));
    if (!found) throw createdKeyUnknown(schema, { isWritten: !rules.isUndone });
    created.push(found);
  }
  return created;
}

/** `undefined` if there is none, or a part of the key is missing. */
async function readByKey(
  transaction: SqlTransaction,
  statements: SqlStatements,
  { name, primaryKey, fields }: CollectionSchema,
  record: RecordData,
  context: QueryContext,
): Promise<RecordData | undefined> {
  if (primaryKey.some((field) => isMissing(record[field]))) return undefined;
  const conditions = primaryKey.map((field) => ({ field, operator: 'Equal' as const, value: record[field] }));
  const projection = [...fields.values()].flatMap((field) => (isStored(field) ? [field.name] : []));
  const where = { aggregator: 'And' as const, conditions };
  const { plan, values } = statements.list({ collection: name, projection, where }, 'with');
  const [found] = await transaction.all(plan.sql, bindParameters(plan.parameters, values, context));
  return found && plan.read(found);
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Nobody can tell the key of a new record. `isWritten`: it is there all the same, because its table has no transactions. */
export function createdKeyUnknown(
  { name, primaryKey }: CollectionSchema,
  { isWritten, cause }: { readonly isWritten: boolean; readonly cause?: unknown },
): CloudError {
  const keys = primaryKey.map((key) => `"${key}"`).join(', ');
  const outcome = isWritten ? 'It was created all the same: the table has no transactions.' : 'Nothing was created.';
  return cloudError(
    'DATABASE_CREATED_KEY_UNKNOWN',
    `The key (${keys}) that the database gives a new record of "${name}" cannot be known. ${outcome}`,
    `Give ${keys} a value when you create a record.`,
    { details: { field: primaryKey[0], fields: primaryKey }, cause },
  );
}
