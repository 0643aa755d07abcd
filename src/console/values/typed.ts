import type { Messages } from '../messages/index.ts';
import { parseExactly } from '../wire/exact-json.ts';
import { fieldTypeOf } from './field-type.ts';
import { instantText } from './text-of.ts';

/** What somebody typed: as a value, or why it is not a value. */
export type Typed = { readonly value: unknown } | { readonly problem: string };

type Words = Messages['typed'];

interface TypedField {
  readonly type: unknown;
  /** Numbers of this field are texts on the wire. */
  readonly isExact?: boolean;
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
    case 'Point':
      return Array.isArray(value) ? value.join(', ') : String(value);
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
      return matching(text.trim(), /^\d{4}-\d\d-\d\d$/, words.date);
    case 'Time':
      return matching(text.trim(), /^\d\d:\d\d(:\d\d(\.\d+)?)?$/, words.time);
    case 'Json':
    case 'Object':
      return readJson(text, words);
    case 'List':
      return isTextList(field.type) ? { value: text.split('\n').filter((line) => line !== '') } : readJson(text, words);
    case 'Point':
      return readPoint(text, words);
    default:
      return { value: text };
  }
}

function isTextList(type: unknown): boolean {
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
    return { value: parseExactly(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: words.json(error.message) };
    throw error;
  }
}

function readPoint(text: string, words: Words): Typed {
  const parts = text.split(',').map((part) => Number(part.trim()));
  const isPoint = parts.length === 2 && parts.every(Number.isFinite) && text.trim() !== ',';
  return isPoint ? { value: parts } : { problem: words.point };
}

function matching(text: string, pattern: RegExp, problem: string): Typed {
  return pattern.test(text) ? { value: text } : { problem };
}

const local = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d)(?::(\d\d)(\.\d{1,3})?)?\s*(Z|[+-]\d\d:?\d\d)?$/;

/** `2026-03-29 09:30` in a zone, or with an offset of its own. An hour that the zone skips, or has twice, is not guessed. */
function readInstant(text: string, zone: string, words: Words): Typed {
  const match = local.exec(text);
  if (!match) return { problem: words.instant(zone) };
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset] = match;
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}`;
  if (offset !== undefined) return instant(`${clock}${offset}`, words);
  const fits = offsetsOf(clock, zone).map((one) => `${clock}${one}`);
  const [first, other] = fits;
  if (first === undefined) return { problem: words.skipped(zone) };
  if (other !== undefined) {
    return {
      problem: words.twice(zone, fits.map((one) => one.slice(clock.length)).join(' or ')),
    };
  }
  return instant(first, words);
}

function instant(text: string, words: Words): Typed {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? { problem: words.noTime } : { value: date.toISOString() };
}

/** When a day begins in a zone; `undefined` where the clocks are set forward over its midnight. */
export function midnightOf(day: string, zone: string): string | undefined {
  const clock = `${day}T00:00:00`;
  const [offset] = offsetsOf(clock, zone);
  return offset === undefined ? undefined : new Date(`${clock}${offset}`).toISOString();
}

/** The offsets at which a zone shows a time: none, one, or two where clocks are set back over it. */
function offsetsOf(clock: string, zone: string): readonly string[] {
  const day = 86_400_000;
  const near = new Date(`${clock}Z`).getTime();
  if (Number.isNaN(near)) return [];
  const candidates = [near - day, near + day].map((time) => instantText(new Date(time).toISOString(), zone).slice(-6));
  return [...new Set(candidates)].filter((offset) => {
    const shown = instantText(new Date(`${clock}${offset}`).toISOString(), zone);
    return shown.slice(0, 19).replace(' ', 'T') === clock.slice(0, 19) && shown.endsWith(offset);
  });
}
