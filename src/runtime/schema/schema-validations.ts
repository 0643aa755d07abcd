import type { SchemaField } from '#contracts/schema-document';
import type { BinaryMode } from '../customizer/declaration.ts';
import type { FieldValidation } from '../model/compiled-model.ts';
import { ruleInWords } from '../query/conditions-in-words.ts';
import { escapeRegExp, likeToRegExp } from '../query/like-pattern.ts';
import type { Operator } from '../query/operators.ts';

type SchemaValidation = SchemaField['validations'][number];

/** The rules of a column of bytes for the text that stands for them. */
export function rulesOfBytes(mode: BinaryMode, rules: readonly FieldValidation[]): readonly FieldValidation[] {
  const presence = rules.filter(({ operator }) => operator === 'Present');
  if (mode === 'datauri') return [...presence, { operator: 'Match', value: /^data:.*;base64,.*/ }];
  const lengths = rules.flatMap(({ operator, value }) => {
    const isLength = operator === 'LongerThan' || operator === 'ShorterThan';
    // Two digits for each byte.
    return isLength
      ? [{ operator, value: operator === 'LongerThan' ? Number(value) * 2 + 1 : Number(value) * 2 - 1 }]
      : [];
  });
  return [...presence, ...lengths, { operator: 'Match', value: /^[0-9a-f]*$/i }];
}

/** The validations that a client can check by itself, by operator. The agent checks rules that depend on the time. */
const validationTypes: Partial<Record<Operator, string>> = {
  After: 'is after',
  Before: 'is before',
  Contains: 'contains',
  GreaterThan: 'is greater than',
  GreaterThanOrEqual: 'is greater than or equal to',
  LessThan: 'is less than',
  LessThanOrEqual: 'is less than or equal to',
  LongerThan: 'is longer than',
  ShorterThan: 'is shorter than',
};

/** The stricter one of two bounds of one type. */
const largerIsStricter: ReadonlySet<Operator> = new Set(['After', 'GreaterThan', 'GreaterThanOrEqual', 'LongerThan']);
const smallerIsStricter: ReadonlySet<Operator> = new Set(['Before', 'LessThan', 'LessThanOrEqual', 'ShorterThan']);

/** The validations of a field as the schema document has them: one of each type, in a stable order. */
export function schemaValidations(isRequired: boolean, validations: readonly FieldValidation[]): SchemaValidation[] {
  const found = new Map<string, SchemaValidation>();
  if (isRequired || validations.some(({ operator }) => operator === 'Present')) {
    found.set('is present', { type: 'is present', message: 'This field is required.' });
  }
  const patterns: RegExp[] = [];
  for (const { operator, value } of validations) {
    const pattern = patternOf(operator, value);
    if (pattern) patterns.push(pattern);
    const type = validationTypes[operator];
    const known = type === undefined ? undefined : found.get(type);
    if (type === undefined || (known && !isStricter(operator, value, known.value))) continue;
    found.set(type, { type, message: `The value ${ruleInWords(operator, value)}.`, value });
  }
  const pattern = allOf(patterns);
  if (pattern)
    found.set('is like', {
      type: 'is like',
      message: `The value ${ruleInWords('Match', pattern)}.`,
      value: String(pattern),
    });
  return [...found.values()].toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

function isStricter(operator: Operator, value: unknown, known: unknown): boolean {
  const [a, b] = typeof value === 'number' ? [value, Number(known)] : [String(value), String(known)];
  if (largerIsStricter.has(operator)) return a > b;
  return smallerIsStricter.has(operator) && a < b;
}

function patternOf(operator: Operator, value: unknown): RegExp | undefined {
  switch (operator) {
    case 'Match':
      return value instanceof RegExp ? value : undefined;
    case 'Like':
      return likeToRegExp(String(value));
    case 'StartsWith':
      return new RegExp(`^${escapeRegExp(String(value))}`, 'u');
    case 'EndsWith':
      return new RegExp(`${escapeRegExp(String(value))}$`, 'u');
    case 'In':
      return Array.isArray(value) && value.every((item) => typeof item === 'string')
        ? new RegExp(`^(?:${value.map(escapeRegExp).join('|')})$`, 'u')
        : undefined;
    default:
      return undefined;
  }
}

function allOf(patterns: readonly RegExp[]): RegExp | undefined {
  const [only] = patterns;
  if (patterns.length <= 1) return only;
  return new RegExp(patterns.map(({ source }) => `(?=[\\s\\S]*(?:${source}))`).join(''), only?.flags.replace('g', ''));
}
