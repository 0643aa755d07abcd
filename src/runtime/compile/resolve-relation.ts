import type { RelationDefinition } from '../customizer/relation-definition.ts';
import type { JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import type { CollectionDraft, CollectionDrafts, RelationDraft } from './collection-draft.ts';
import { type Fault, faultOf, unknownName } from './compile-problem.ts';

/** The relation with all its keys named, or what is wrong with them. */
export function resolveRelation(
  drafts: CollectionDrafts,
  owner: CollectionDraft,
  { name, definition }: RelationDraft,
): RelationSchema | Fault {
  const subject = `The relation "${name}" of "${owner.name}"`;
  try {
    return relationOf(drafts, owner, name, definition);
  } catch (error) {
    if (error instanceof KeyProblem) return faultOf(subject, error.fault);
    throw error;
  }
}

class KeyProblem extends Error {
  readonly fault: Fault;

  constructor(fault: Fault) {
    super();
    this.fault = fault;
  }
}

function relationOf(
  drafts: CollectionDrafts,
  owner: CollectionDraft,
  name: string,
  definition: RelationDefinition,
): RelationSchema {
  const { foreignCollection } = definition;
  const foreign = draftNamed(drafts, foreignCollection);
  switch (definition.kind) {
    case 'ManyToOne': {
      const join = pairOf(owner, keyIn(definition, 'foreignKey'), foreign, definition.foreignKeyTarget);
      return { kind: 'ManyToOne', name, foreignCollection, join };
    }
    case 'OneToOne':
    case 'OneToMany': {
      const join = reversed(pairOf(foreign, keyIn(definition, 'originKey'), owner, definition.originKeyTarget));
      return { kind: definition.kind, name, foreignCollection, join };
    }
    case 'ManyToMany': {
      const { throughCollection, originKeyTarget, foreignKeyTarget } = definition;
      const through = draftNamed(drafts, throughCollection);
      const originJoin = reversed(pairOf(through, keyIn(definition, 'originKey'), owner, originKeyTarget));
      const foreignJoin = pairOf(through, keyIn(definition, 'foreignKey'), foreign, foreignKeyTarget);
      return { kind: 'ManyToMany', name, foreignCollection, throughCollection, originJoin, foreignJoin };
    }
  }
}

/** Code that is not type checked may leave an option out, or misspell it. */
function keyIn<Name extends string>(definition: { readonly [Key in Name]: string }, name: Name): string {
  const key: unknown = definition[name];
  if (typeof key === 'string') return key;
  throw new KeyProblem(`needs the name of a column as "${name}".`);
}

/** The key column, and the column it refers to: by default the primary key. */
function pairOf(
  holder: CollectionDraft,
  key: string,
  target: CollectionDraft,
  targetKey: string | undefined,
): JoinPairs {
  requireValue(holder, key);
  const [only, ...others] = target.native.primaryKey;
  const referred = targetKey ?? (others.length === 0 ? only : undefined);
  if (referred === undefined) {
    throw new KeyProblem(`needs a target key: "${target.name}" has no primary key of one column.`);
  }
  requireValue(target, referred);
  return [{ local: key, foreign: referred }];
}

function reversed(pairs: JoinPairs): JoinPairs {
  return pairs.map(({ local, foreign }) => ({ local: foreign, foreign: local }));
}

function draftNamed(drafts: CollectionDrafts, name: string): CollectionDraft {
  const draft = drafts.get(name);
  if (!draft) throw new KeyProblem(unknownName('leads nowhere: there is no collection', name, drafts.keys()));
  return draft;
}

function requireValue(draft: CollectionDraft, name: string): void {
  const field = draft.fields.get(name);
  if (!field) throw new KeyProblem(unknownName(`has no key: "${draft.name}" has no field`, name, draft.fields.keys()));
  if (!['column', 'computed', 'expression', 'import'].includes(field.kind)) {
    throw new KeyProblem(`cannot use "${name}" of "${draft.name}" as a key: it is a relation.`);
  }
}
