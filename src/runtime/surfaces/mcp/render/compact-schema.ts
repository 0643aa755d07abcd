import * as z from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The same JSON Schema in fewer words. What readers take for granted is left out: the range of exact integers, and that keys are
 * texts. So is that a text or a list is not empty, and that a switch is off. Alternatives that differ in their type become one schema with several
 * types.
 */
export function compactSchema(schema: JsonSchema): JsonSchema {
  return compact(schema) as JsonSchema;
}

/**
 * 2020-12 is what the protocol assumes, so that the schema need not say it. That unknown arguments are refused is said once a tool;
 * what answers hold may grow.
 */
export function jsonSchemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...document } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema, path }) => {
      const isRefusal = jsonSchema.additionalProperties === false;
      if (isRefusal && (io === 'output' || path.length > 0)) delete jsonSchema.additionalProperties;
    },
  });
  return compactSchema(document);
}

function compact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(compact);
  if (!isSchema(node)) return node;
  const kept = Object.entries(node)
    .filter(([keyword, value]) => !isNoise(keyword, value))
    .map(([keyword, value]) => [keyword, keyword === 'properties' ? compactMembers(value) : compact(value)]);
  return merged(Object.fromEntries(kept));
}

/** The names of members are not keywords. */
function compactMembers(members: unknown): JsonSchema {
  return Object.fromEntries(Object.entries(members as JsonSchema).map(([name, schema]) => [name, compact(schema)]));
}

function isNoise(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case 'propertyNames':
      return JSON.stringify(value) === '{"type":"string"}';
    case 'properties':
    case 'additionalProperties':
      return isSchema(value) && Object.keys(value).length === 0;
    case 'minItems':
    case 'minLength':
      return value === 1;
    case 'default':
      return value === false;
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

/** `anyOf` of one schema a type says the same as all of their keywords together: each is about one type. */
function merged({ anyOf, ...others }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return others;
  const alternatives: readonly unknown[] = anyOf;
  const types = alternatives.flatMap((one) => (isSchema(one) ? [one['type']].flat() : [undefined]));
  const keywords = alternatives.flatMap((one) =>
    isSchema(one) ? Object.keys(one).filter((key) => key !== 'type') : [],
  );
  const isMergeable =
    types.every((type) => typeof type === 'string') &&
    new Set(types).size === types.length &&
    !keywords.some((keyword, index) => general.has(keyword) || keywords.indexOf(keyword) !== index);
  return isMergeable ? { ...Object.assign({}, ...alternatives), type: types, ...others } : { anyOf, ...others };
}

/** Keywords that are about every type. */
const general = new Set(['enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref', 'description', 'default']);

function isSchema(node: unknown): node is JsonSchema {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}
