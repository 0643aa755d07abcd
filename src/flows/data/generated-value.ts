import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SeededRandom } from '#project/index';
import type { ColumnSchema, ColumnType } from '#runtime/index';
import { generatedDocument, someOf } from './generated-document.ts';

export interface ValueQuestion {
  readonly column: ColumnSchema;
  /** The place of the record among all of its collection, from 1: what has to be unique is made of it. */
  readonly number: number;
  readonly random: SeededRandom;
  /** Milliseconds since the epoch; dates are in the year before. */
  readonly now: number;
  /** Whether no two records may have the same value. */
  readonly isUnique: boolean;
}

const words = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'haven', 'isle', 'juniper'] as const;
const names = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Margaret', 'Ken', 'Radia', 'Linus'] as const;
const dayMs = 24 * 60 * 60 * 1000;
const smallNumbers = /rating|stars|quantity|position|level|percent|rate/i;

/** A value that fits a column. Texts and whole numbers differ from record to record. */
export function generatedValue(question: ValueQuestion): unknown {
  const { column, random } = question;
  if (column.enumValues?.length) return random.pick(column.enumValues as [string, ...string[]]);
  return valueOfType(column.type, question);
}

function valueOfType(type: ColumnType, question: ValueQuestion): unknown {
  const { number, random, now, column } = question;
  if (typeof type !== 'string') return isList(type) ? generatedList(type[0], question) : composedOf(type, question);
  const moment = new Date(now - random.integer(0, 365 * dayMs)).toISOString();
  switch (type) {
    case 'Boolean':
      return random.chance(0.5);
    case 'Date':
      return moment;
    case 'Dateonly':
      return moment.slice(0, 10);
    case 'Time':
      return moment.slice(11, 19);
    case 'Number':
      return generatedNumber(question);
    case 'Uuid':
      return random.uuid();
    case 'Json':
      return generatedDocument({ name: column.name, number, random, moment });
    case 'Binary':
      return new Uint8Array([number % 256]);
    case 'String':
    case 'Enum':
      return generatedText(question);
    case 'Point':
      throw unfillable(column);
  }
}

function isList(type: ColumnType): type is readonly [ColumnType] {
  return Array.isArray(type);
}

/** One to three items, which differ. Those of texts are words, and not told apart by the number of the record. */
function generatedList(type: ColumnType, question: ValueQuestion): readonly unknown[] {
  const { random, number, column } = question;
  if (type === 'String' && textOfType(column.nativeType, number) === undefined) return someOf(random, words);
  if (type === 'Enum' || type === 'Boolean') return [valueOfType(type, question)];
  return Array.from({ length: random.integer(1, 3) }, (_, index) =>
    valueOfType(type, { ...question, number: number + index }),
  );
}

function composedOf(type: Readonly<Record<string, ColumnType>>, question: ValueQuestion): unknown {
  const fields = Object.entries(type).map(([name, each]) => {
    const column = { ...question.column, name, type: each };
    return [name, valueOfType(each, { ...question, column })];
  });
  return Object.fromEntries(fields);
}

function generatedNumber({ column, number, random, isUnique }: ValueQuestion): number | string {
  if (smallNumbers.test(column.name) && !isUnique) return random.integer(1, 5);
  if (column.scale) return (random.integer(100, 99_999) / 100).toFixed(Math.min(column.scale, 2));
  return column.isExact ? String(number) : number;
}

function generatedText({ column: { name, nativeType, type }, number, random, isUnique }: ValueQuestion): string {
  if (type === 'Enum') throw new TypeError('An enum without values.');
  const ofType = textOfType(nativeType, number);
  if (ofType !== undefined) return ofType;
  const most = Number(/\((\d+)\)/.exec(nativeType)?.[1] ?? Number.POSITIVE_INFINITY);
  if (/country/i.test(name) && most <= 3 && !isUnique) return random.pick(['FR', 'DE', 'US', 'JP', 'BR']);
  if (/currency/i.test(name) && !isUnique) return random.pick(['EUR', 'USD', 'CHF']);
  const suffix = String(number);
  const fitting = (text: string, end: string) => `${text.slice(0, Math.max(0, most - end.length))}${end}`.slice(-most);
  if (/e-?mail/i.test(name)) return fitting(random.pick(names).toLowerCase(), `.${suffix}@example.com`);
  if (/url|link|website/i.test(name)) return fitting('https://example.com/', suffix);
  if (/name/i.test(name)) return fitting(`${random.pick(names)} `, suffix);
  return fitting(`${random.pick(words)} ${random.pick(words)} `, suffix);
}

/** Texts of types that take no other, by the name of the type in the database. */
const textsByType: Readonly<Record<string, (number: number, size: number) => string>> = {
  inet: (number) => addressOf(number),
  cidr: (number) => `${addressOf(number)}/32`,
  macaddr: (number) => `02:00:${bytesOf(number).map(hex).join(':')}`,
  macaddr8: (number) => `02:00:00:00:${bytesOf(number).map(hex).join(':')}`,
  interval: (number) => `${number} days`,
  bit: (number, size) => number.toString(2).padStart(size, '0').slice(-size),
  'bit varying': (number, size) => number.toString(2).slice(-size),
};

function textOfType(nativeType: string, number: number): string | undefined {
  const size = Number(/\((\d+)\)/.exec(nativeType)?.[1] ?? (nativeType.includes('varying') ? 32 : 1));
  return textsByType[nativeType.replace(/\(.*/, '').replace(/\[\]$/, '')]?.(number, size);
}

function addressOf(number: number): string {
  const [, ...rest] = bytesOf(number);
  return `10.${rest.join('.')}`;
}

function bytesOf(number: number): number[] {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function unfillable({ name, type }: ColumnSchema): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `No values are made for the column "${name}" of type ${String(type)}, and it accepts no null.`,
    'Leave its collection out: name the others with --collection.',
  );
}
