import type { DeclarationOf, DeclarationOnCollection, FlattenForm, FlattenOptions } from '../customizer/declaration.ts';
import type { ColumnType } from '../query/column-type.ts';
import { isColumnType, unknownTypeProblem } from '../query/column-type-problem.ts';
import { isListType } from '../query/operators.ts';
import { putField } from './add-fields.ts';
import {
  type CollectionDraft,
  type CollectionDrafts,
  type CustomizedDraft,
  kindInWords,
  type Refuse,
} from './collection-draft.ts';
import { AbsentElement, type Fault, faultOf, isFault, unknownName } from './compile-problem.ts';

type FlattenDeclaration = DeclarationOf<'flatten'>;

/**
 * Make the fields that plugins ask for without knowing the schema: columns first, so that what relations lead to is
 * complete.
 */
export function expandFlattened(
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
  refuse: Refuse,
): void {
  const flattened = declarations.flatMap((declaration) => {
    const draft = drafts.customized.get(declaration.collection);
    return draft && declaration.kind === 'flatten' ? [[draft, declaration] as const] : [];
  });
  const ofForms = (...forms: readonly FlattenForm[]) => flattened.filter(([, { form }]) => forms.includes(form));
  for (const [draft, declaration] of ofForms('document', 'structure')) {
    const fault = expandColumn(draft, declaration, refuse);
    if (fault !== undefined) refuse(faultOf(`"${declaration.name}" of "${draft.name}"`, fault), declaration);
  }
  for (const [draft, declaration] of ofForms('relation')) {
    const fault = expandRelation(drafts, draft, declaration, refuse);
    if (fault !== undefined) refuse(faultOf(`"${declaration.name}" of "${draft.name}"`, fault), declaration);
  }
}

function expandColumn(draft: CustomizedDraft, declaration: FlattenDeclaration, refuse: Refuse): Fault | undefined {
  const { name, form, options } = declaration;
  const column = draft.fields.get(name);
  if (!column) return unknownName('cannot be flattened: there is no column', name, draft.fields.keys());
  if (column.kind !== 'column') return `cannot be flattened: it is a ${kindInWords(column)}.`;
  const shape = options.columnType ?? (form === 'structure' ? column.type : undefined);
  const problem = form === 'document' ? documentProblem(column.type) : structureProblem(column.type);
  if (problem !== undefined) return problem;
  if (shape !== undefined && isShape(shape) && !isColumnType(shape)) return unknownTypeProblem(shape);
  if (shape === undefined || !isShape(shape)) {
    return 'needs a "columnType" to be flattened: the types of what is inside, by name.';
  }
  const leaves = flattenedLeaves(shape, options, form === 'document' ? Number.POSITIVE_INFINITY : 1);
  if (typeof leaves === 'string') return leaves;
  for (const { path, type } of leaves) {
    const field = [name, ...path].join('@@@');
    if (/[\s:]/.test(field)) return `cannot be flattened: "${field}" would have a space or a colon in its name.`;
    if (path.some((key) => /["\\\0]/.test(key)))
      return `cannot be flattened: a key of it has a quotation mark or a backslash.`;
    const writing = options.readonly === true ? 'never' : options.readonly === false ? 'required' : 'where it can be';
    const expression = { jsonPath: { field: name, path, type } };
    putField(
      draft,
      { kind: 'expression', name: field, columnType: type, expression, writing, declaration },
      declaration,
      refuse,
    );
  }
  if (form === 'document' && options.keepOriginalColumn !== true) draft.removedFields.add(name);
  return undefined;
}

function documentProblem(type: ColumnType): string | undefined {
  if (type === 'Json') return undefined;
  return 'cannot be flattened: it holds no JSON; use flattenColumn for a column of named fields.';
}

function structureProblem(type: ColumnType): string | undefined {
  if (isShape(type)) return undefined;
  if (type === 'Json') return 'cannot be flattened without the types of what is inside; use flattenJsonColumn.';
  return `cannot be flattened: it is ${isListType(type) ? 'a list' : 'a single value'}.`;
}

function isShape(type: ColumnType): type is Readonly<Record<string, ColumnType>> {
  return typeof type === 'object' && type !== null && !isListType(type) && Object.keys(type).length > 0;
}

interface FlattenedLeaf {
  readonly path: readonly string[];
  readonly type: ColumnType;
}

type Shape = Readonly<Record<string, ColumnType>>;

/** The parts of a shape that become fields, down to the level; or a text that says what is wrong with the options. */
function flattenedLeaves(
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

/** Import the fields of a related record, each as `relation@@@field`; or what is wrong with that. */
function expandRelation(
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
