import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import { type CompiledCollection, type CompiledModel, columnOf, isValueField } from '../../model/compiled-model.ts';
import { conditionOfRecords } from '../../model/record-id.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { variablesOf } from '../calls/call-variables.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { type NativeQuery, runNativeQuery } from '../read/run-native-query.ts';

/** More keys than a condition should hold. */
const maxRecords = 100_000;

interface SegmentContext {
  readonly model: CompiledModel;
  readonly authoriser: Authoriser;
  readonly engine: RecordEngine;
}

/** The records that a query of the database finds, in original names; the caller's right to run it is asked for here. */
export async function liveSegmentCondition(
  { model, authoriser, engine }: SegmentContext,
  collection: CompiledCollection,
  segment: NativeQuery,
  call: CallContext,
): Promise<ConditionTree> {
  const { connectionName, query } = segment;
  await authoriser.requireSegmentQuery(call.caller, collection.name, connectionName, query);
  const rows = await runNativeQuery(model, segment, variablesOf(call.caller), call);
  const original = engine.collectionNamed(collection.name);
  if (original.primaryKey.length === 0 || rows.length > maxRecords) {
    throw unusable(
      original.primaryKey.length === 0
        ? `"${collection.name}" has no primary key to find records by.`
        : `The query of the segment finds more than ${maxRecords} records.`,
    );
  }
  return conditionOfRecords(
    original,
    rows.map((row) => keyOf(row, original)),
  );
}

function keyOf(row: SqlRow, collection: CompiledCollection): RecordData {
  return Object.fromEntries(
    collection.primaryKey.map((key) => {
      const value = row[key];
      if (value !== undefined && value !== null) return [key, keyValue(value, key, collection)] as const;
      throw unusable(
        `The query of the segment gives no "${key}", by which the records of "${collection.name}" are found.`,
      );
    }),
  );
}

/** A key as records hold it: exact numbers are texts, the others numbers of JavaScript. */
function keyValue(value: SqlRow[string], key: string, { fields }: CompiledCollection): unknown {
  const field = fields.get(key);
  const column = field && isValueField(field) ? columnOf(field) : undefined;
  if (column?.type !== 'Number') return value;
  return column.isExact ? String(value) : Number(value);
}

function unusable(message: string): CloudError {
  return cloudError('REQUEST_UNPROCESSABLE', message, 'Select the primary key of the collection.', {
    details: { parameter: 'segmentQuery' },
  });
}
