import { CloudError } from '#kernel/errors/cloud-error';
import { firstFrame } from '../customizer/call-site.ts';
import type { RecordData } from '../query/record-query.ts';
import { isRecord } from './present-record.ts';
import type { ComputedStep } from './read-plan.ts';

/** Fill the computed fields into records that hold what they depend on; each handler is called once. */
export async function computeFields(records: readonly RecordData[], steps: readonly ComputedStep[]): Promise<void> {
  for (const step of steps) {
    const owners = records
      .map((record) => recordBehind(record, step.relationPath))
      .filter((owner) => owner !== undefined);
    if (owners.length > 0) await computeField(step, owners);
  }
}

/** Records that are equal in the dependencies share one call of the handler. */
async function computeField(step: ComputedStep, owners: readonly RecordData[]): Promise<void> {
  const distinct: RecordData[] = [];
  const positions = new Map<string, number>();
  const positionOf = owners.map((owner) => {
    const partial = pickPaths(owner, step.field.dependencies);
    const key = JSON.stringify(partial, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
    const known = positions.get(key);
    if (known !== undefined) return known;
    positions.set(key, distinct.length);
    distinct.push(partial);
    return distinct.length - 1;
  });
  const values = await callHandler(step, distinct);
  owners.forEach((owner, index) => {
    // The records are fresh from the data source and not yet shown to anybody.
    (owner as Record<string, unknown>)[step.field.name] = plainValue(values[positionOf[index] ?? 0]);
  });
}

async function callHandler(step: ComputedStep, records: readonly RecordData[]): Promise<readonly unknown[]> {
  const name = `The computed field "${step.field.name}" of "${step.collection}"`;
  let values: unknown;
  try {
    const answer: unknown = await step.field.getValues(records);
    values = Array.isArray(answer) ? await Promise.all(answer) : answer;
  } catch (error) {
    throw handlerFailed(`${name} threw an error.`, error);
  }
  if (!Array.isArray(values)) throw handlerFailed(`${name} returned no list of values.`);
  if (values.length !== records.length) {
    throw handlerFailed(`${name} returned ${values.length} values for ${records.length} records.`);
  }
  return values;
}

function handlerFailed(message: string, cause?: unknown): CloudError {
  const location = cause instanceof Error ? firstFrame(cause.stack ?? '') : undefined;
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message,
    nextSteps: ['Correct its "getValues", which gives one value for each record.'],
    ...(cause === undefined ? {} : { cause }),
    ...(location ? { location } : {}),
  });
}

/** A record with nothing but the paths, an absent relation `null`. */
function pickPaths(record: RecordData, paths: readonly string[]): RecordData {
  const picked: Record<string, unknown> = {};
  const nested = new Map<string, string[]>();
  for (const path of paths) {
    const split = path.indexOf(':');
    if (split === -1) picked[path] = record[path] ?? null;
    else nested.set(path.slice(0, split), [...(nested.get(path.slice(0, split)) ?? []), path.slice(split + 1)]);
  }
  for (const [relation, rest] of nested) {
    const related = record[relation];
    picked[relation] = isRecord(related) ? pickPaths(related, rest) : null;
  }
  return picked;
}

function recordBehind(record: RecordData, relationPath: string): RecordData | undefined {
  let current: unknown = record;
  for (const step of relationPath === '' ? [] : relationPath.split(':')) {
    current = isRecord(current) ? current[step] : undefined;
  }
  return isRecord(current) ? current : undefined;
}

function plainValue(value: unknown): unknown {
  if (value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? String(value) : value;
}
