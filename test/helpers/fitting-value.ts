import fc from 'fast-check';

/** The part of JSON Schema that the contracts of the platform use. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

/** Values that fit a schema. */
export function fittingValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map(fittingValue));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return textOf(schema);
    case 'integer':
    case 'number': {
      const min = schema.minimum ?? (schema.exclusiveMinimum === undefined ? -1000 : schema.exclusiveMinimum + 1);
      return fc.integer({ min, max: Math.min(schema.maximum ?? min + 2000, min + 2000) });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fittingValue(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 });
    case 'object':
      return objectOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 1 });
  }
}

function textOf({ format, pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid({ version: 4 });
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'uri') return fc.constant('https://example.test/x');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ minLength, maxLength: Math.min(maxLength, 40), unit: 'binary' });
}

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const members = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, fittingValue(each)]));
  const known = fc.record(members, { requiredKeys: [...required] as never[], noNullPrototype: true });
  if (typeof additionalProperties !== 'object' || Object.keys(properties).length > 0) return known;
  const names = propertyNames ? textOf(propertyNames) : fc.string({ minLength: 1, maxLength: 12 });
  return fc.dictionary(names, fittingValue(additionalProperties), { maxKeys: 3, noNullPrototype: true });
}

/** A value that was right, with one part of it replaced by something else, or with one part too many. */
export function damaged(value: unknown): fc.Arbitrary<unknown> {
  const odd = fc.constantFrom<unknown>(null, -1, 1e300, '', 'x'.repeat(10_000), '\u0000', [], {}, true, [[]]);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return odd;
  const entries = Object.entries(value);
  const extra = fc.constant({ ...value, 'not a member': 1 });
  if (entries.length === 0) return extra;
  const replaced = fc
    .constantFrom(...entries)
    .chain(([name, member]) => fc.oneof(odd, damaged(member)).map((other) => ({ ...value, [name]: other })));
  const missing = fc
    .constantFrom(...entries)
    .map(([name]) => Object.fromEntries(entries.filter(([each]) => each !== name)));
  return fc.oneof(extra, replaced, missing);
}
