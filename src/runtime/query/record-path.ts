import { type ConditionTree, isBranch } from './condition-tree.ts';
import type { RecordData } from './record-query.ts';

/** Reads the value at the end of `column` or `relation:column`; `null` if there is none on the way. */
export function valueReader(path: string): (record: RecordData) => unknown {
  const steps = path.split(':');
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return (record) => ownValue(record, only);
  return (record) => steps.reduce<unknown>(ownValue, record);
}

/**
 * Whether `test` holds for the value at the end of a path; through to-many relations, for that of at least one of the
 * records it leads to.
 *
 * @param isToMany whether the last relation of a path of relations leads to many records, nested as a list.
 */
export function holdsAtSome(
  path: string,
  isToMany: (relationPath: string) => boolean,
  test: (value: unknown) => boolean,
): (record: RecordData) => boolean {
  const names = path.split(':');
  const steps = names
    .slice(0, -1)
    .map((name, index) => ({ name, isMany: isToMany(names.slice(0, index + 1).join(':')) }));
  const last = names.at(-1) ?? '';
  return steps.reduceRight<(holder: unknown) => boolean>(
    (holds, { name, isMany }) => {
      if (!isMany) return (holder) => holds(ownValue(holder, name));
      return (holder) => {
        const related = ownValue(holder, name);
        // There is no list either where a relation before this one leads nowhere.
        return Array.isArray(related) && related.some(holds);
      };
    },
    (holder) => test(ownValue(holder, last)),
  );
}

/** `null` where there is none. */
export function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return null;
  return (holder as RecordData)[name] ?? null;
}

/** `column` seen from the other end of `relation`: `relation:column`. */
export function nestPath(path: string, relation: string): string {
  return `${relation}:${path}`;
}

/** The path seen from the collection behind `relation`, or `undefined` when it does not go through it. */
export function unnestPath(path: string, relation: string): string | undefined {
  return path.startsWith(`${relation}:`) ? path.slice(relation.length + 1) : undefined;
}

/** The condition seen from the other end of a relation: on `relation:column` instead of `column`. */
export function nestCondition(tree: ConditionTree, relation: string): ConditionTree {
  if (isBranch(tree)) {
    return { aggregator: tree.aggregator, conditions: tree.conditions.map((child) => nestCondition(child, relation)) };
  }
  return { ...tree, field: nestPath(tree.field, relation) };
}
