/** A fact about a collection or a part of it. A list has no order. */
type Fact = string | boolean | readonly string[];

/** A field, a relation, an action, … of a collection. */
export interface OutlinedPart {
  readonly kind: 'field' | 'relation' | 'action' | 'segment' | 'unique key';
  readonly name: string;
  readonly facts: Readonly<Record<string, Fact>>;
}

/** What programs can rely on in a collection. */
export interface OutlinedCollection {
  readonly name: string;
  readonly facts: Readonly<Record<string, Fact>>;
  readonly parts: readonly OutlinedPart[];
}

export const schemaChangeKinds = ['added', 'removed', 'changed'] as const;

export interface SchemaChange {
  readonly change: (typeof schemaChangeKinds)[number];
  readonly collection: string;
  /** `null` for the collection itself. */
  readonly part: Pick<OutlinedPart, 'kind' | 'name'> | null;
  /** What changed of it, as `type: String → Number`; empty for what was added or removed. */
  readonly facts: readonly string[];
  /** Whether a program that relies on what there was may fail. */
  readonly isBreaking: boolean;
}

/** What a change is about, and what of it: `field total of orders: type: String → Number`. */
export function schemaChangeInWords({ collection, part, facts }: SchemaChange): string {
  const what = part ? `${part.kind} ${part.name} of ${collection}` : `collection ${collection}`;
  return facts.length > 0 ? `${what}: ${facts.join('; ')}` : what;
}

/** When a change of a fact may break a program. A fact that is not named never does. */
const breaking: Readonly<Record<string, (before: Fact | undefined, after: Fact | undefined) => boolean>> = {
  type: () => true,
  to: () => true,
  key: () => true,
  required: (_before, after) => after === true,
  readOnly: (_before, after) => after === true,
  filterable: (before) => before === true,
  sortable: (before) => before === true,
  searchable: (before) => before === true,
  values: (before, after) => listOf(before).some((value) => !listOf(after).includes(value)),
  inputs: (before, after) => listOf(before).some((input) => hasAnotherType(input, listOf(after))),
  'required inputs': (before, after) => listOf(after).some((value) => !listOf(before).includes(value)),
};

/** @param input Name and type, as `amount: Number`. */
function hasAnotherType(input: string, inputs: readonly string[]): boolean {
  const named = input.slice(0, input.lastIndexOf(': ') + 1);
  return !inputs.includes(input) && inputs.some((other) => other.startsWith(named));
}

/** How one schema differs from another, by collection and part; names in order, so that the same difference reads the same. */
export function compareOutlines(
  before: readonly OutlinedCollection[],
  after: readonly OutlinedCollection[],
): readonly SchemaChange[] {
  return pairs(before, after, ({ name }) => name).flatMap(([was, is]): readonly SchemaChange[] => {
    const collection = (was ?? is)?.name ?? '';
    if (!is) return [{ change: 'removed', collection, part: null, facts: [], isBreaking: true }];
    if (!was) return [{ change: 'added', collection, part: null, facts: [], isBreaking: false }];
    return [...changed(collection, null, was.facts, is.facts), ...changedParts(collection, was.parts, is.parts)];
  });
}

function changedParts(
  collection: string,
  before: readonly OutlinedPart[],
  after: readonly OutlinedPart[],
): readonly SchemaChange[] {
  return pairs(before, after, ({ kind, name }) => `${kind} ${name}`).flatMap(([was, is]): readonly SchemaChange[] => {
    const { kind = 'field', name = '' } = was ?? is ?? {};
    const part = { kind, name };
    if (!is) return [{ change: 'removed', collection, part, facts: [], isBreaking: true }];
    // Whoever creates a record does not know of a new field that has to be given.
    if (!was) {
      const isBreaking = kind === 'field' && is.facts['required'] === true;
      return [{ change: 'added', collection, part, facts: isBreaking ? ['required'] : [], isBreaking }];
    }
    return changed(collection, part, was.facts, is.facts);
  });
}

function changed(
  collection: string,
  part: SchemaChange['part'],
  before: OutlinedPart['facts'],
  after: OutlinedPart['facts'],
): readonly SchemaChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => textOf(before[name]) !== textOf(after[name]));
  if (differing.length === 0) return [];
  return [
    {
      change: 'changed',
      collection,
      part,
      facts: differing.map((name) => `${name}: ${textOf(before[name])} → ${textOf(after[name])}`),
      isBreaking: differing.some((name) => breaking[name]?.(before[name], after[name]) === true),
    },
  ];
}

/** The items of two lists that have the same key, in the order of their keys. */
function pairs<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (readonly [Item | undefined, Item | undefined])[] {
  const [was, is] = [
    new Map(before.map((item) => [keyOf(item), item])),
    new Map(after.map((item) => [keyOf(item), item])),
  ];
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((key) => [was.get(key), is.get(key)] as const);
}

function textOf(fact: Fact | undefined): string {
  if (fact === undefined || fact === false) return 'no';
  if (fact === true) return 'yes';
  return typeof fact === 'string' ? fact : [...fact].sort().join(', ') || 'none';
}

function listOf(fact: Fact | undefined): readonly string[] {
  return typeof fact === 'object' ? fact : [];
}
