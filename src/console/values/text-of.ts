import { isExactNumber } from '../wire/exact-json.ts';
import { fieldTypeOf } from './field-type.ts';

/** As much of a value as a cell shows. */
const longestCell = 200;
const shownItems = 20;

/** A value as a cell shows it. */
export interface ValueText {
  readonly text: string;
  /** What sets it apart from a text that reads alike. */
  readonly kind: 'null' | 'empty' | 'plain' | 'code';
  /** There is more than is shown. */
  readonly isCut: boolean;
}

/** A value as one line. Nothing is rounded, and nothing in it can turn the line round. */
export function textOf(value: unknown, type: unknown, zone: string): ValueText {
  if (value === null || value === undefined) return { text: 'null', kind: 'null', isCut: false };
  if (value === '') return { text: '""', kind: 'empty', isCut: false };
  if (isExactNumber(value)) return plain(value.rawJSON);
  switch (fieldTypeOf(type)) {
    case 'Date':
      return plain(typeof value === 'string' ? instantText(value, zone) : wordOf(value));
    case 'Json':
    case 'Object':
      return { ...cut(JSON.stringify(value) ?? ''), kind: 'code' };
    case 'Point':
      return plain(Array.isArray(value) ? value.join(', ') : wordOf(value));
    case 'List':
      return Array.isArray(value) ? listText(value, type, zone) : plain(wordOf(value));
    default:
      return plain(wordOf(value));
  }
}

function plain(text: string): ValueText {
  return { ...cut(text), kind: 'plain' };
}

function listText(items: readonly unknown[], type: unknown, zone: string): ValueText {
  const [itemType] = type as readonly unknown[];
  const shown = items.slice(0, shownItems).map((item) => textOf(item, itemType, zone).text);
  const more = items.length - shown.length;
  const { text } = cut(shown.join(', '));
  return { text: more > 0 ? `${text} … (${items.length})` : text || '[]', kind: 'plain', isCut: more > 0 };
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function cut(text: string): Pick<ValueText, 'text' | 'isCut'> {
  const isCut = text.length > longestCell;
  return { text: visible(isCut ? `${text.slice(0, longestCell)}…` : text), isCut };
}

/** Characters that a screen does not show, or that change the direction of what follows. */
const hidden = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}\ufeff]/gu;

/** A text with every character in sight: those that are not, as their code points. Line breaks and tabs stay. */
function visible(text: string): string {
  return text.replace(hidden, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `2026-03-29 01:30:00+01:00`: an instant in a zone, with the offset that held then. Another text is shown as it is. */
export function instantText(value: string, zone: string): string {
  const instant = new Date(value);
  if (Number.isNaN(instant.getTime())) return value;
  const parts = Object.fromEntries(
    formatIn(zone)
      .formatToParts(instant)
      .map(({ type, value: part }) => [type, part]),
  );
  const fraction = instant.getUTCMilliseconds() === 0 ? '' : `.${parts['fractionalSecond']}`;
  const offset = parts['timeZoneName']?.replace('GMT', '') || '+00:00';
  const year = (parts['year'] ?? '').padStart(4, '0');
  return `${year}-${parts['month']}-${parts['day']} ${parts['hour']}:${parts['minute']}:${parts['second']}${fraction}${offset}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      fractionalSecondDigits: 3,
      timeZoneName: 'longOffset',
    });
    formats.set(timeZone, format);
  }
  return format;
}
