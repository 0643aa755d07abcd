import type { DeclarationOf } from '../customizer/declaration.ts';
import { putField } from './add-fields.ts';
import {
  type CollectionDraft,
  type CollectionDrafts,
  type CustomizedDraft,
  kindInWords,
  type Refuse,
} from './collection-draft.ts';
import { AbsentElement, type Fault, isFault, unknownName } from './compile-problem.ts';

/** Import the fields of a related record, each as `relation@@@field`; or what is wrong with that. */
export function expandRelation(
  drafts: CollectionDrafts,
  draft: CustomizedDraft,
  declaration: DeclarationOf<'flatten'>,
  refuse: Refuse,
): Fault | undefined {
  const { name, options } = declaration;
  const { include, exclude = [], readonly } = options;
  const target = behind(drafts, draft, name);
  if (isFault(target)) return target;
  const known = [...target.fields.values()].flatMap((field) => (isValue(field.kind) ? [field.name] : []));
  const missing = [...(include ?? []), ...exclude].find((field) => !known.includes(field));
  if (missing !== undefined) return unknownName(`cannot be flattened: "${target.name}" has no column`, missing, known);
  const chosen = (include ?? known).filter((field) => !exclude.includes(field));
  if (chosen.length === 0) return 'is flattened to nothing: every field of it is left out.';
  const prefix = name.replaceAll(':', '@@@');
  for (const field of chosen) {
    const definition = { path: `${name}:${field}`, ...(readonly === undefined ? {} : { readonly }) };
    putField(draft, { kind: 'import', name: `${prefix}@@@${field}`, definition, declaration }, declaration, refuse);
  }
  return undefined;
}

function isValue(kind: string): boolean {
  return kind === 'column' || kind === 'computed' || kind === 'expression';
}

function behind(drafts: CollectionDrafts, draft: CollectionDraft, path: string): CollectionDraft | Fault {
  let current = draft;
  for (const step of path.split(':')) {
    const field = current.fields.get(step);
    if (!field) return unknownName('cannot be flattened: there is no relation', step, current.fields.keys());
    const relation = field.kind === 'declared relation' ? field.definition : field;
    if (relation.kind !== 'ManyToOne' && relation.kind !== 'OneToOne') {
      const is = 'foreignCollection' in relation ? 'leads to many records' : `is a ${kindInWords(field)}`;
      return `cannot be flattened: "${step}" of "${current.name}" ${is}.`;
    }
    const foreign = drafts.get(relation.foreignCollection);
    if (!foreign) return new AbsentElement(`cannot be flattened: "${step}" of "${current.name}" leads nowhere.`);
    current = foreign;
  }
  return current;
}
