import { type Checker, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';

/** The part of JSON Schema that types are written in. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/** Longer lists of words, such as the codes of errors, are listed in the docs. */
const mostWords = 24;
/** Deeper types are not followed: documents such as a schema of collections have a description of their own. */
const deepest = 7;

/** What `JSON.stringify` makes of the values of a type. */
export function jsonSchemaOfType(checker: Checker, type: Type, depth = 0): JsonSchema {
  if (depth > deepest) return {};
  const { flags } = type;
  if (type.isUnionType()) return ofUnion(checker, type.getTypes() ?? [], depth);
  if (type.isLiteralType()) return { const: type.value };
  if (flags & TypeFlags.StringLike) return { type: 'string' };
  if (flags & TypeFlags.NumberLike) return { type: 'number' };
  if (flags & TypeFlags.BooleanLike) return { type: 'boolean' };
  if (flags & TypeFlags.Null) return { type: 'null' };
  if (flags & (TypeFlags.Object | TypeFlags.Intersection)) return ofObject(checker, type, depth);
  return {};
}

function ofUnion(checker: Checker, types: readonly Type[], depth: number): JsonSchema {
  const schemas = types.filter(isPrinted).map((type) => jsonSchemaOfType(checker, type, depth));
  const constants = schemas.flatMap((schema) => ('const' in schema ? [schema.const] : []));
  const isSwitch = constants.includes(true) && constants.includes(false);
  const words = constants.filter((value) => typeof value !== 'boolean' || !isSwitch).sort();
  return anyOf([
    ...(words.length > mostWords ? [{ type: 'string' }] : []),
    ...(words.length > 1 && words.length <= mostWords ? [{ enum: words }] : []),
    ...(words.length === 1 ? [{ const: words[0] }] : []),
    ...(isSwitch ? [{ type: 'boolean' }] : []),
    ...schemas.filter((schema) => !('const' in schema)),
  ]);
}

/** One of several schemas: each once, in an order that does not depend on that of the code. `{}` if there is none. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const flat = schemas.flatMap((schema) => schema.anyOf ?? [schema]);
  const different = new Map(flat.map((schema) => [JSON.stringify(schema), schema]));
  const [first, ...others] = [...different]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, schema]) => schema);
  if (!first) return {};
  return others.length === 0 ? first : { anyOf: [first, ...others] };
}

/** `JSON.stringify` leaves out what is undefined. */
function isPrinted({ flags }: Type): boolean {
  return (flags & TypeFlags.Undefined) === 0;
}

function ofObject(checker: Checker, type: Type, depth: number): JsonSchema {
  if (checker.isArrayLikeType(type)) {
    const items = checker.getIndexInfosOfType(type).find(({ keyType }) => keyType.flags & TypeFlags.NumberLike);
    return { type: 'array', items: items ? jsonSchemaOfType(checker, items.valueType, depth + 1) : {} };
  }
  const properties = checker.getPropertiesOfType(type).filter(({ name }) => !name.startsWith('__@'));
  const names = new Set(properties.map(({ name }) => name));
  if (names.has('toISOString')) return { type: 'string' };
  const index = checker.getIndexInfosOfType(type)[0];
  const members = properties.flatMap((property) => {
    const own = checker.getTypeOfSymbol(property);
    return own && (property.flags & SymbolFlags.Method) === 0 ? [{ property, own }] : [];
  });
  const described = members.map(
    ({ property, own }) => [property.name, jsonSchemaOfType(checker, own, depth + 1)] as const,
  );
  const required = members.filter(
    ({ property, own }) =>
      (property.flags & SymbolFlags.Optional) === 0 &&
      (own.isUnionType() ? (own.getTypes() ?? []) : [own]).every(isPrinted),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(described.sort(([one], [other]) => (one < other ? -1 : 1))),
    required: required.map(({ property }) => property.name).sort(),
    ...(index ? { additionalProperties: jsonSchemaOfType(checker, index.valueType, depth + 1) } : {}),
  };
}
