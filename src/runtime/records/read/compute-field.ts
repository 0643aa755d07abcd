import type { CustomizationContext } from '../../customizer/customization-context.ts';
import type { CompiledCollection, ComputedField } from '../../model/compiled-model.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import type { RecordData } from '../../query/record-query.ts';
import { isRecord, setValue } from '../../query/shape-record.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';

/** The computed field, and the collection of its records. */
interface ComputedValue {
  readonly collection: CompiledCollection;
  readonly field: ComputedField;
  /** The part of a record that the handler gets: its dependencies. */
  pick(record: RecordData): RecordData;
}

/**
 * Fill a computed field into records that hold what it depends on. The handler is called once; records that are equal in
 * the dependencies are given to it once.
 */
export async function computeField(
  step: ComputedValue,
  owners: readonly RecordData[],
  context: CustomizationContext,
): Promise<void> {
  const distinct: RecordData[] = [];
  const positions = new Map<string, number>();
  const positionOf = owners.map((owner) => {
    const partial = step.pick(owner);
    const key = JSON.stringify(partial, (_, value: unknown) =>
      isOutsideJson(value) ? { '\0': String(value) } : value,
    );
    const known = positions.get(key);
    if (known !== undefined) return known;
    positions.set(key, distinct.length);
    distinct.push(partial);
    return distinct.length - 1;
  });
  const given = await callGetValues(step, distinct, context);
  const values = given.map((value, index) => checkedValue(step, plainValue(step, value), distinct[index] ?? {}));
  owners.forEach((owner, index) => {
    // The records are fresh from the data source and not yet shown to anybody.
    setValue(owner as Record<string, unknown>, step.field.name, values[positionOf[index] ?? 0]);
  });
}

/** JSON has no big integers, and makes `null` of the infinite and NaN. */
function isOutsideJson(value: unknown): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value));
}

async function callGetValues(
  { field, collection }: ComputedValue,
  records: readonly RecordData[],
  context: CustomizationContext,
): Promise<readonly unknown[]> {
  const subject = `The computed field "${field.name}" of "${collection.name}"`;
  const values: unknown = await callHandler(subject, async () => {
    const answer: unknown = await field.getValues(records, context);
    return Array.isArray(answer) ? Promise.all(answer) : answer;
  });
  if (!Array.isArray(values)) throw customizationFailed(`${subject} returned no list of values.`);
  if (values.length !== records.length) {
    throw customizationFailed(`${subject} returned ${values.length} values for ${records.length} records.`);
  }
  return values;
}

function plainValue({ field, collection }: ComputedValue, value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Date) {
    if (!Number.isNaN(value.getTime())) return value.toISOString();
    throw customizationFailed(
      `The computed field "${field.name}" of "${collection.name}" gave a Date that is not a date.`,
    );
  }
  return typeof value === 'bigint' ? String(value) : value;
}

/** Throws where the value is not one of the type of the field. What the database holds passes as it is, wrong or not. */
function checkedValue({ field, collection }: ComputedValue, value: unknown, record: RecordData): unknown {
  const problem = columnValueProblem({ ...field.column, isExact: true }, value);
  if (problem === undefined || holds(record, value)) return value;
  throw customizationFailed(
    `The computed field "${field.name}" of "${collection.name}" gave a value of the wrong type: it must be ${problem}.`,
  );
}

function holds(record: unknown, value: unknown): boolean {
  return record === value || (isRecord(record) && Object.values(record).some((inner) => holds(inner, value)));
}
