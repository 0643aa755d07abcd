import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { type ColumnType, primitiveTypes } from './column-type.ts';
import { isListType } from './operators.ts';

const typeNames: readonly string[] = primitiveTypes;

/** Whether it is one of the types that a column may have, at any depth. */
export function isColumnType(type: ColumnType): boolean {
  if (typeof type === 'string') return typeNames.includes(type);
  if (typeof type !== 'object' || type === null) return false;
  if (Array.isArray(type) && type.length !== 1) return false;
  return isListType(type) ? isColumnType(type[0]) : Object.values(type).every(isColumnType);
}

/** The problem of a type, to follow the name of its field in a sentence, with the known types. */
export function unknownTypeProblem(declared: unknown): string {
  const wrong = wrongPart(declared);
  const hint = typeof wrong === 'string' ? didYouMean(nearestName(wrong, typeNames)) : '';
  const known = `Types are ${typeNames.join(', ')}, a list of one of them, and an object of them.`;
  return `has the unknown column type ${JSON.stringify(wrong)}.${hint} ${known}`;
}

/** The first part of a type that is not one. */
function wrongPart(declared: unknown): unknown {
  if (typeof declared !== 'object' || declared === null) return declared;
  if (Array.isArray(declared)) return declared.length === 1 ? wrongPart(declared[0]) : declared;
  return wrongPart(Object.values(declared).find((type: ColumnType) => !isColumnType(type)));
}
