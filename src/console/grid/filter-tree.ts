import type { VisibleCollection, VisibleRelation } from '#contracts/visible-schema';
import { isToOne } from '../model/schema.ts';
import { parseExactly } from '../wire/exact-json.ts';

/** A tree of conditions, as the agent takes it. */
export type FilterTree = FilterGroup | FilterCondition;

export interface FilterGroup {
  readonly aggregator: 'and' | 'or';
  readonly conditions: readonly FilterTree[];
}

export interface FilterCondition {
  /** A field, or a field of a relation: `customer:country`. */
  readonly field: string;
  readonly operator: string;
  readonly value?: unknown;
}

/** Whether a tree is a group of others. */
export function isGroup(tree: FilterTree): tree is FilterGroup {
  return 'aggregator' in tree;
}

/** The tree that an address names; `undefined` for none, and a `SyntaxError` for one that cannot be read. */
export function readFilters(text: string | undefined): FilterGroup | undefined {
  if (text === undefined) return undefined;
  const tree = parseExactly(text);
  if (!isTree(tree)) throw new SyntaxError('No tree of conditions.');
  return isGroup(tree) ? tree : { aggregator: 'and', conditions: [tree] };
}

/** The tree for an address; `undefined` where it asks for nothing. */
export function writeFilters(tree: FilterGroup): string | undefined {
  return tree.conditions.length === 0 ? undefined : JSON.stringify(tree);
}

/** An address leaves out the value of an operator that takes none. Here, a value that is left out has not been given yet. */
export function filled(group: FilterGroup): FilterGroup {
  const conditions = group.conditions.map((part) =>
    isGroup(part) ? filled(part) : { ...part, value: part.value ?? null },
  );
  return { ...group, conditions };
}

/** A tree without the conditions that nobody has given a value yet; `undefined` where nothing is left. */
export function withoutUnfilled(tree: FilterGroup): FilterGroup {
  return {
    ...tree,
    conditions: tree.conditions.flatMap((part): readonly FilterTree[] => {
      if (!isGroup(part)) return part.value === undefined ? [] : [part];
      const kept = withoutUnfilled(part);
      return kept.conditions.length > 0 ? [kept] : [];
    }),
  };
}

/** The fields of the conditions that nobody has given a value yet. */
export function unfilledFields({ conditions }: FilterGroup): readonly string[] {
  const fields = conditions.flatMap((part) => {
    if (isGroup(part)) return unfilledFields(part);
    return part.value === undefined ? [part.field.replace(/:$/, '')] : [];
  });
  return [...new Set(fields)];
}

/** The filters as a request has them: a tree that cannot be read is left out, as is a condition on a field that is gone. */
export function appliedFilters(text: string | undefined, collection: VisibleCollection): string | undefined {
  try {
    const tree = readFilters(text);
    const known = tree && onlyKnown(tree, collection);
    return known && writeFilters(known);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether the collection has the first part of a path. The agent knows about the rest. */
export function isKnownPath(path: string, { fields, relations }: VisibleCollection): boolean {
  const [first] = path.split(':');
  return [...fields, ...relations].some(({ name }) => name === first);
}

function onlyKnown(tree: FilterGroup, collection: VisibleCollection): FilterGroup {
  return {
    ...tree,
    conditions: tree.conditions.flatMap((part): readonly FilterTree[] => {
      if (!isGroup(part)) return isKnownPath(part.field, collection) ? [part] : [];
      const kept = onlyKnown(part, collection);
      return kept.conditions.length > 0 ? [kept] : [];
    }),
  };
}

function isTree(value: unknown): value is FilterTree {
  if (typeof value !== 'object' || value === null) return false;
  if ('conditions' in value) {
    const { aggregator, conditions } = value as Partial<FilterGroup>;
    return (aggregator === 'and' || aggregator === 'or') && Array.isArray(conditions) && conditions.every(isTree);
  }
  const { field, operator } = value as Partial<FilterCondition>;
  return typeof field === 'string' && typeof operator === 'string';
}

/**
 * The filter of an address that finds the records which a relation to many leads to, by the relation that leads back; `undefined` where
 * none does, or where the key cannot be compared.
 */
export function filtersOfRelated(
  { primaryKey, fields }: Pick<VisibleCollection, 'primaryKey' | 'fields'>,
  id: string,
  inverse: VisibleRelation | undefined,
): string | undefined {
  const [key, ...others] = primaryKey;
  const field = fields.find(({ name }) => name === key);
  const canCompare = field?.operators.some(({ operator }) => operator === 'equal');
  if (!inverse || !isToOne(inverse) || others.length > 0 || !field || !canCompare) return undefined;
  const condition = { field: `${inverse.name}:${field.name}`, operator: 'equal', value: id };
  return writeFilters({ aggregator: 'and', conditions: [condition] });
}

/** The filter of an address that finds these records, by their packed ids; `undefined` for keys of several parts. */
export function filtersOfIds({ primaryKey }: Pick<VisibleCollection, 'primaryKey'>, ids: readonly string[]) {
  const [field, ...others] = primaryKey;
  if (field === undefined || others.length > 0) return undefined;
  return writeFilters({ aggregator: 'and', conditions: [{ field, operator: 'in', value: ids }] });
}
