import type { ExternalRelationDefinition } from '../customizer/relation-definition.ts';
import type { ComputedField } from '../model/compiled-model.ts';
import type { RecordData } from '../query/record-query.ts';
import { isRecord } from '../query/shape-record.ts';
import { compileComputedField } from './compile-computed-field.ts';

/** How many records are asked for at the same time where the code answers one at a time. */
const concurrency = 5;

/** An external relation as the computed field that it is, or what is wrong with it, to follow its name in a sentence. */
export function compileExternalRelation(
  name: string,
  definition: ExternalRelationDefinition,
  primaryKey: readonly string[],
): ComputedField | string {
  if (typeof definition !== 'object' || definition === null) return 'needs a definition.';
  const { schema, listRecords, listRecordsBatch, dependencies = primaryKey } = definition;
  if (typeof schema !== 'object' || schema === null || Object.keys(schema).length === 0) {
    return 'needs a "schema" with the types of its fields.';
  }
  if (typeof listRecords !== 'function' && typeof listRecordsBatch !== 'function') {
    return 'needs a function "listRecords" or "listRecordsBatch".';
  }
  return compileComputedField(name, {
    columnType: [schema],
    dependencies,
    getValues: async (records, context) => {
      const answers: unknown = listRecordsBatch
        ? ((await definition.listRecordsBatch?.(records, context)) ?? [])
        : await inTurns(records, async (record) => definition.listRecords?.(record, context) ?? []);
      return mapList(answers, (related) => mapList(related, (record) => pickFields(record, schema))) as unknown[];
    },
  });
}

/** A value that is not a list stays as it is, and the check of the field refuses it. */
function mapList(list: unknown, convert: (item: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map(convert) : list;
}

/** A record with the fields of the schema only: an API often answers with more than somebody wants to show. */
function pickFields(record: unknown, schema: ExternalRelationDefinition['schema']): unknown {
  if (!isRecord(record)) return record;
  const fields = Object.keys(schema).filter((name) => Object.hasOwn(record, name));
  return Object.fromEntries(fields.map((name) => [name, record[name]]));
}

/** One call for each record, a few at a time, the answers in the order of the records. */
async function inTurns(
  records: readonly RecordData[],
  call: (record: RecordData) => Promise<unknown>,
): Promise<unknown[]> {
  const answers: unknown[] = new Array(records.length);
  let next = 0;
  const work = async () => {
    while (next < records.length) {
      const index = next;
      next += 1;
      const record = records[index];
      if (!record) continue;
      try {
        answers[index] = await call(record);
      } catch (error) {
        // Stop: after a failure, the other answers are not needed.
        next = records.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, records.length) }, work));
  return answers;
}
