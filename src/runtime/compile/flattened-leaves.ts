import type { FlattenOptions } from '../customizer/declaration.ts';
import type { ColumnType } from '../query/column-type.ts';
import { isListType } from '../query/operators.ts';
import { unknownName } from './compile-problem.ts';

export interface FlattenedLeaf {
  readonly path: readonly string[];
  readonly type: ColumnType;
}

type Shape = Readonly<Record<string, ColumnType>>;

/** The parts of a shape that become fields, down to the level; or a text that says what is wrong with the options. */
export function flattenedLeaves(
  shape: Shape,
  { include, exclude = [], level }: FlattenOptions,
  defaultLevel: number,
): readonly FlattenedLeaf[] | string {
  const depth = level ?? defaultLevel;
  if (typeof depth !== 'number' || !(depth >= 1)) return 'is flattened to a "level" of at least 1.';
  const leaves = leavesOf(shape, depth, []);
  const known = leaves.map(({ path }) => path.join(':'));
  const wanted = include?.map(withColons);
  const missing = wanted?.find((path) => !known.some((leaf) => isWithin(leaf, path)));
  if (missing !== undefined) return unknownName('cannot be flattened: there is nothing at', missing, known).text;
  const chosen = leaves.filter(({ path }) => {
    const name = path.join(':');
    const isIncluded = wanted === undefined || wanted.some((given) => isWithin(name, given));
    return isIncluded && !exclude.map(withColons).some((given) => isWithin(name, given));
  });
  return chosen.length > 0 ? chosen : 'is flattened to nothing: every field of it is left out.';
}

function leavesOf(shape: Shape, depth: number, above: readonly string[]): FlattenedLeaf[] {
  return Object.entries(shape).flatMap(([name, type]) => {
    const path = [...above, name];
    const isDeeper = typeof type === 'object' && !isListType(type) && depth > 1;
    return isDeeper ? leavesOf(type as Shape, depth - 1, path) : [{ path, type }];
  });
}

/** Sub-paths are written with a point or a colon. */
function withColons(path: string): string {
  return String(path).replaceAll('.', ':');
}

function isWithin(path: string, holder: string): boolean {
  return path === holder || path.startsWith(`${holder}:`);
}
