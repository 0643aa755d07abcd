import { DateTime, type DateTimeUnit } from 'luxon';
import type { ConditionTree } from '../condition-tree.ts';
import { conditionOn, eitherOf, readComparison, type SearchedField } from './searched-field.ts';

/** The days from `start` on, `end` outside. */
interface Stretch {
  readonly start: DateTime;
  readonly end: DateTime;
}

const dateText = /^(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?$/;
const firstYear = 1800;
const yearsAhead = 100;
const lastYear = 9998;

/**
 * A year, a month or a day as a half-open stretch of time, `2024`, `2024-03`, `2024-03-10`, or what is on one side of it.
 * Days begin at midnight in the zone of the caller; columns of days have no zone. What is negated is met by records without
 * a date.
 */
export function dateCondition(field: SearchedField, text: string, isNegated: boolean): ConditionTree | undefined {
  const { sign, value } = readComparison(text, isNegated);
  const stretch = readStretch(value, field.now);
  if (!stretch) return undefined;
  const { start, end } = stretch;
  const missing = () => (isNegated ? [conditionOn(field, 'Missing')] : []);
  switch (sign) {
    case '<':
      return eitherOf([before(field, start), ...missing()]);
    case '<=':
      return eitherOf([before(field, end), ...missing()]);
    case '>':
      return eitherOf([from(field, end), ...missing()]);
    case '>=':
      return eitherOf([from(field, start), ...missing()]);
    case '!=':
      return eitherOf([before(field, start), from(field, end), conditionOn(field, 'Missing')]);
    default:
      return within(field, stretch);
  }
}

function within(field: SearchedField, { start, end }: Stretch): ConditionTree | undefined {
  const isDay = field.column.type === 'Dateonly' && start.plus({ day: 1 }).equals(end);
  const equal = isDay ? conditionOn(field, 'Equal', dayOf(start)) : undefined;
  if (equal) return equal;
  const [first, last] = [from(field, start), before(field, end)];
  return first && last && { aggregator: 'And', conditions: [first, last] };
}

function before(field: SearchedField, edge: DateTime): ConditionTree | undefined {
  return conditionOn(field, 'Before', field.column.type === 'Dateonly' ? dayOf(edge) : edge.toUTC().toISO());
}

/**
 * From the edge on. Sources compare dates by Before and After only; after the last microsecond, which is as fine as
 * databases keep instants, is one condition that an index serves.
 */
function from(field: SearchedField, edge: DateTime): ConditionTree | undefined {
  const value =
    field.column.type === 'Dateonly'
      ? dayOf(edge.minus({ day: 1 }))
      : edge.toUTC().minus({ second: 1 }).toFormat("yyyy-MM-dd'T'HH:mm:ss'.999999Z'");
  return conditionOn(field, 'After', value);
}

function readStretch(text: string, now: DateTime): Stretch | undefined {
  const [, years = '', months, days] = dateText.exec(text) ?? [];
  const year = Number(years);
  if (years === '' || year < 1 || year > lastYear) return undefined;
  // Any number of four digits would be a year.
  if (months === undefined && (year < firstYear || year > now.year + yearsAhead)) return undefined;
  const unit: DateTimeUnit = months === undefined ? 'year' : days === undefined ? 'month' : 'day';
  const date = DateTime.fromObject({ year, month: Number(months ?? 1), day: Number(days ?? 1) }, { zone: now.zone });
  if (!date.isValid) return undefined;
  return { start: date.startOf('day'), end: date.plus({ [unit]: 1 }).startOf('day') };
}

function dayOf(date: DateTime): string {
  return date.toFormat('yyyy-MM-dd');
}
