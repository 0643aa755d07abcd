import type { ComputedField } from '../model/compiled-model.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import {
  type CollectionDraft,
  type CollectionDrafts,
  type ExpressionDraft,
  type FieldDraft,
  type ImportDraft,
  kindInWords,
} from './collection-draft.ts';
import { type Fault, unknownName } from './compile-problem.ts';
import { isJoinable } from './declared-relations.ts';
import type { RelationLookup, ResolvedImport } from './resolve-imports.ts';

/** What a field in an expression refers to. */
export interface ExpressionSource {
  readonly column: ColumnSchema;
  /** The path as the database follows it; absent when it cannot. */
  readonly native: string | undefined;
}

type ResolveInner = (
  owner: CollectionDraft,
  draft: ExpressionDraft,
) => { readonly field: ColumnSchema | ComputedField; readonly native: ColumnSchema | undefined } | undefined;

/** Follows the fields of expressions, or says what is wrong with them; nothing of what was said of another field. */
export function createSourceFinder(
  drafts: CollectionDrafts,
  relationOf: RelationLookup,
  imports: readonly ResolvedImport[],
  resolveInner: ResolveInner,
): (owner: CollectionDraft, path: string) => ExpressionSource | Fault {
  const importOf = new Map<ImportDraft, ResolvedImport>(imports.map((found) => [found.draft, found]));

  return function find(owner, path): ExpressionSource | Fault {
    const steps = path.split(':');
    const last = steps.pop() ?? '';
    let current = owner;
    let isNative = true;
    for (const step of steps) {
      const relation = relationOf(current, step);
      if (!relation) return noRelation(current, path, step);
      if (relation.kind !== 'ManyToOne' && relation.kind !== 'OneToOne') {
        return `depends on "${path}": "${step}" of "${current.name}" leads to many records.`;
      }
      isNative &&= current.native.fields.has(step) || isJoinable(drafts, current, relation);
      const foreign = drafts.get(relation.foreignCollection);
      if (!foreign) return `depends on "${path}": "${step}" of "${current.name}" leads nowhere.`;
      current = foreign;
    }
    const field = current.fields.get(last);
    if (!field) return unknownName(`depends on "${path}": "${current.name}" has no field`, last, current.fields.keys());
    switch (field.kind) {
      case 'column':
        return { column: field, native: isNative ? path : undefined };
      case 'computed':
        return { column: field.column, native: undefined };
      case 'expression': {
        const inner = resolveInner(current, field);
        if (!inner) return '';
        const column = inner.native ?? (inner.field.kind === 'column' ? inner.field : inner.field.column);
        return { column, native: isNative && inner.native ? path : undefined };
      }
      case 'import': {
        const target = importOf.get(field);
        return target ? find(owner, [...steps, target.path].join(':')) : '';
      }
      default:
        return `depends on "${path}", which is a ${kindInWords(field)}; name one of its fields.`;
    }
  };
}

/** The relation is absent, or could not be made; a field of that name that is not a relation is another mistake. */
function noRelation({ name, fields }: CollectionDraft, path: string, step: string): Fault {
  const named = fields.get(step);
  const others = [...fields.values()].filter((field) => field !== named && !isValue(field)).map((field) => field.name);
  const fault = unknownName(`depends on "${path}": "${name}" has no relation`, step, others);
  return named && isValue(named) ? fault.text : fault;
}

function isValue({ kind }: FieldDraft): boolean {
  return kind === 'column' || kind === 'computed' || kind === 'import' || kind === 'expression';
}
