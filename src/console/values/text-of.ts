import { isExactNumber } from '../wire/exact-json.ts';
import { fieldTypeOf } from './field-type.ts';
import { instantText } from './zone-time.ts';

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
  if (typeof value === 'string' && value.startsWith('data:') && value.includes(';base64,'))
    return plain(fileText(value));
  switch (fieldTypeOf(type)) {
    case 'Date':
      return plain(typeof value === 'string' ? instantText(value, zone) : wordOf(value));
    case 'Json':
    case 'Object':
      return { ...cut(JSON.stringify(value) ?? ''), kind: 'code' };
    case 'List':
      return Array.isArray(value) ? listText(value, type, zone) : plain(wordOf(value));
    default:
      return plain(wordOf(value));
  }
}

function plain(text: string): ValueText {
  return { ...cut(text), kind: 'plain' };
}

/** A file in a line: what it is called to be, and how many bytes it has. Its content decides where it is shown. */
function fileText(uri: string): string {
  const comma = uri.indexOf(',');
  const type = uri.slice('data:'.length, Math.min(comma, 100)).split(';', 1);
  const bytes = Math.floor(((uri.length - comma - 1) * 3) / 4);
  return `${type}, ${bytes} B`;
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
