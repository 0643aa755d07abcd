import type { RelationSchema } from '../query/collection-schema.ts';
import {
  type CollectionDraft,
  type CollectionDrafts,
  type ImportDraft,
  kindInWords,
  type Refuse,
} from './collection-draft.ts';
import { AbsentElement, type Fault, faultOf, isFault, unknownName } from './compile-problem.ts';

/** The path that an import leads to, with other imports on the way replaced by their own paths. */
export interface ResolvedImport {
  readonly draft: ImportDraft;
  readonly owner: CollectionDraft;
  /** `relation:field`; ends on a column or a computed field. */
  readonly path: string;
  readonly target: CollectionDraft;
  readonly targetField: string;
}

/** Relations by the collection they belong to, then by name, as far as they could be made. */
export type RelationLookup = (collection: CollectionDraft, name: string) => RelationSchema | undefined;

/** Follow the paths of all imports, whatever the order of their declarations. */
export function resolveImports(drafts: CollectionDrafts, relationOf: RelationLookup, refuse: Refuse): ResolvedImport[] {
  const resolved = new Map<ImportDraft, ResolvedImport | undefined>();
  const open: ImportDraft[] = [];

  function resolve(owner: CollectionDraft, draft: ImportDraft): ResolvedImport | undefined {
    if (resolved.has(draft)) return resolved.get(draft);
    const subject = `The imported field "${draft.name}" of "${owner.name}"`;
    if (open.includes(draft)) {
      const chain = [...open.slice(open.indexOf(draft)), draft].map(({ name }) => name);
      refuse(`${subject} comes back to itself: ${chain.join(' → ')}.`, draft.declaration);
      return undefined;
    }
    open.push(draft);
    const found = follow(owner, draft);
    open.pop();
    if (isFault(found)) refuse(faultOf(subject, found), draft.declaration);
    const result = isFault(found) ? undefined : found;
    resolved.set(draft, result);
    return result;
  }

  function follow(owner: CollectionDraft, draft: ImportDraft): ResolvedImport | Fault | undefined {
    const { path } = draft.definition;
    const steps = typeof path === 'string' ? path.split(':') : [];
    const last = steps.pop();
    if (last === undefined || steps.length === 0) return 'needs a path "relation:field".';
    let current = owner;
    for (const step of steps) {
      const next = stepThrough(current, step);
      if (isFault(next)) return next;
      current = next;
    }
    const field = current.fields.get(last);
    if (!field) return unknownName(`has no source: "${current.name}" has no field`, last, current.fields.keys());
    if (field.kind === 'import') {
      const inner = resolve(current, field);
      return inner && { ...inner, draft, owner, path: [...steps, inner.path].join(':') };
    }
    if (field.kind !== 'column' && field.kind !== 'computed' && field.kind !== 'expression') {
      return `ends on the ${kindInWords(field)} "${last}" of "${current.name}"; name one of its fields.`;
    }
    return { draft, owner, path: [...steps, last].join(':'), target: current, targetField: last };
  }

  function stepThrough(current: CollectionDraft, step: string): CollectionDraft | Fault {
    const relation = relationOf(current, step);
    if (!relation) {
      const field = current.fields.get(step);
      const cannot = `cannot go through "${step}" of "${current.name}".`;
      // A declared relation that could not be made: as good as absent.
      if (field) return field.kind === 'declared relation' ? new AbsentElement(cannot) : cannot;
      return unknownName(`has no source: "${current.name}" has no relation`, step, current.fields.keys());
    }
    if (relation.kind !== 'ManyToOne' && relation.kind !== 'OneToOne') {
      return `goes through "${step}" of "${current.name}", which leads to many records.`;
    }
    return (
      drafts.get(relation.foreignCollection) ?? `goes through "${step}" of "${current.name}", which leads nowhere.`
    );
  }

  for (const owner of drafts.customized.values()) {
    for (const field of owner.declaredFields.values()) if (field.kind === 'import') resolve(owner, field);
  }
  return [...resolved.values()].filter((found) => found !== undefined);
}
