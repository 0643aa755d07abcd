import type { Messages } from '../messages/index.ts';
import { parseExactly } from '../wire/exact-json.ts';
import { fieldTypeOf } from './field-type.ts';
import { daysIn, instantAt, offsetsOf } from './read-zone-time.ts';
import { instantText } from './zone-time.ts';

/** What somebody typed: as a value, or why it is not a value. */
export type Typed = { readonly value: unknown } | { readonly problem: string };

type Words = Messages['typed'];

interface TypedField {
  readonly type: unknown;
  /** Numbers of this field are texts on the wire. */
  readonly isExact?: boolean;
  /** Times of this field are durations too. */
  readonly isDuration?: boolean;
}

/** A value as a text that can be edited. It reads back to the same value. */
export function editableText(value: unknown, { type }: TypedField, zone: string): string {
  if (value === null || value === undefined) return '';
  switch (fieldTypeOf(type)) {
    case 'Date':
      return typeof value === 'string' ? instantText(value, zone) : String(value);
    case 'Json':
    case 'Object':
      return JSON.stringify(value, null, 2);
    case 'List':
      return isTextList(type) && Array.isArray(value) ? value.join('\n') : JSON.stringify(value);
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

/** Read what somebody typed. No digit is lost on the way, and nothing is repaired. */
export function readTyped(text: string, field: TypedField, zone: string, words: Words): Typed {
  switch (fieldTypeOf(field.type)) {
    case 'Number':
      return readNumber(text.trim(), field.isExact ?? false, words);
    case 'Boolean':
      return { value: text === 'true' };
    case 'Date':
      return readInstant(text.trim(), zone, words);
    case 'Dateonly':
      return readDate(text.trim(), words);
    case 'Time':
      return field.isDuration
        ? matching(text.trim(), duration, words.duration)
        : matching(text.trim(), time, words.time);
    case 'Json':
    case 'Object':
      return readJson(text, words);
    case 'List':
      return isTextList(field.type) ? { value: text.split('\n').filter((line) => line !== '') } : readJson(text, words);
    case 'Point':
      return matching(text.trim(), point, words.point);
    default:
      return { value: text };
  }
}

/** Whether somebody types a list of this type as lines, and not as JSON. */
export function isTextList(type: unknown): boolean {
  return Array.isArray(type) && (type[0] === 'String' || type[0] === 'Enum' || type[0] === 'Uuid');
}

const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What was typed is what is sent: as a text where the field is exact, and by its digits otherwise. */
function readNumber(text: string, isExact: boolean, words: Words): Typed {
  if (!number.test(text)) return { problem: words.number };
  if (isExact) return { value: text };
  const value = Number(text);
  if (String(value) === text) return { value };
  // JSON knows neither a plus sign nor a bare point.
  return readJson(
    text
      .replace(/^\+/, '')
      .replace(/^(-?)\./, '$10.')
      .replace(/\.(?=e|$)/i, ''),
    words,
  );
}

function readJson(text: string, words: Words): Typed {
  try {
    const value = parseExactly(text);
    return hasProto(value) ? { problem: words.proto } : { value };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: words.json(error.message) };
    throw error;
  }
}

/** Agents refuse a body that holds such a member anywhere. */
function hasProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProto);
}

/** Two numbers in a text, as agents have them. */
const point = /^[+-]?\d+(?:\.\d+)?\s*,\s*[+-]?\d+(?:\.\d+)?$/;

const time = /^(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00)?)$/;

/** From -838:59:59 to 838:59:59, as MariaDB and MySQL have them. */
const duration = /^-?(?:\d{2}|[1-7]\d{2}|8[0-2]\d|83[0-8]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$/;

function matching(text: string, pattern: RegExp, problem: string): Typed {
  return pattern.test(text) ? { value: text } : { problem };
}

const date = /^(\d{4})-(\d\d)-(\d\d)$/;

/** A day is a text from the wire to the screen and back. */
function readDate(text: string, words: Words): Typed {
  const [, year, month, day] = date.exec(text) ?? [];
  if (day === undefined) return { problem: words.date };
  const isDay = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1;
  const isThere = isDay && Number(day) <= daysIn(Number(year), Number(month));
  return isThere ? { value: text } : { problem: words.noDate };
}

const local = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(?::(\d\d)(\.\d{1,3})?)?\s*(Z|[+-]\d\d:?\d\d(?::?\d\d)?)?$/;

/** `2026-03-29 09:30` in a zone, or with an offset of its own. An hour that the zone skips, or has twice, is not guessed. */
function readInstant(text: string, zone: string, words: Words): Typed {
  const match = local.exec(text);
  if (!match) return { problem: words.instant(zone) };
  const [, day, time, second = '00', fraction = '', offset] = match;
  const clock = `${day} ${time}:${second}${fraction}`;
  if (instantAt(clock, 'Z') === undefined) return { problem: words.noTime };
  const fits = offset === undefined ? offsetsOf(clock, zone) : [offset];
  const [first, other] = fits;
  if (first === undefined) return { problem: words.skipped(zone) };
  if (other !== undefined) return { problem: words.twice(zone, fits.join(' or ')) };
  return { value: instantAt(clock, first) };
}
