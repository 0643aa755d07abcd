import { DateTime } from 'luxon';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { CollectionCapabilities } from './agent-client.ts';

type Condition = { readonly field: string; readonly operator: string; readonly value?: unknown } | object;

/** Longer signs first: `>=` begins with `>`. */
const signs = ['!=', '>=', '<=', '=', '>', '<', '~'] as const;
type Sign = (typeof signs)[number];

const operators: Record<Sign, string> = {
  '!=': 'not_equal',
  '>=': 'greater_than_or_equal',
  '<=': 'less_than_or_equal',
  '=': 'equal',
  '>': 'greater_than',
  '<': 'less_than',
  '~': 'i_contains',
};
const operatorsOfDates: Partial<Record<Sign, string>> = { '>': 'after', '<': 'before' };

/**
 * The condition of a list, of texts such as `status=open`, `total>100`, `customer:name~ada`, `shipped_at=` (empty) or
 * `shipped_at!=` (not empty), which must all hold. A date without a time is the start of that day in `timezone`, where a column has times. A text that begins with a brace is a condition as the REST API takes it.
 *
 * @throws `USAGE_INVALID`
 */
export function filterCondition(
  texts: readonly string[],
  capabilities: CollectionCapabilities,
  timezone: string,
): string | undefined {
  const conditions = texts.map((text) =>
    text.trimStart().startsWith('{') ? parsed(text) : read(text, capabilities, timezone),
  );
  if (conditions.length === 0) return undefined;
  const [only] = conditions;
  return JSON.stringify(conditions.length === 1 ? only : { aggregator: 'and', conditions });
}

function parsed(text: string): Condition {
  try {
    return JSON.parse(text) as Condition;
  } catch (cause) {
    throw unreadable(text, 'it is not JSON', cause);
  }
}

function read(text: string, { fields }: CollectionCapabilities, timezone: string): Condition {
  const sign = firstSign(text);
  if (sign === undefined) throw unreadable(text, 'it has no sign such as = or >');
  const index = text.indexOf(sign);
  const field = text.slice(0, index).trim();
  const value = text.slice(index + sign.length).trim();
  if (value === '' && sign === '=') return { field, operator: 'blank' };
  if (value === '' && sign === '!=') return { field, operator: 'present' };
  const type = fields.find(({ name }) => name === field)?.type;
  const isDate = type === 'Date' || type === 'Dateonly';
  const operator = (isDate ? operatorsOfDates[sign] : undefined) ?? operators[sign];
  return { field, operator, value: typedValue(value, type, timezone) };
}

/** The sign that stands first; of two at the same place, the longer one. */
function firstSign(text: string): Sign | undefined {
  const found = signs.filter((sign) => text.includes(sign));
  return found.toSorted((one, other) => text.indexOf(one) - text.indexOf(other) || other.length - one.length)[0];
}

function typedValue(text: string, type: unknown, timezone: string): unknown {
  if (type === 'Date' && /^\d{4}-\d\d-\d\d$/.test(text)) {
    const start = DateTime.fromISO(text, { zone: timezone });
    // The agent reports what is not a day of the calendar.
    return start.isValid ? start.toUTC().toISO() : text;
  }
  if (type === 'Boolean' && (text === 'true' || text === 'false')) return text === 'true';
  // A number that JavaScript cannot hold stays a text, which the agent takes as well.
  if (type === 'Number' && String(Number(text)) === text) return Number(text);
  return text;
}

function unreadable(text: string, why: string, cause?: unknown): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The filter "${text}" cannot be read: ${why}.`,
    'Write --filter status=open, --filter "total>100", or a condition as JSON.',
    { cause },
  );
}
