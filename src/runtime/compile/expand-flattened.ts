import type { DeclarationOf, DeclarationOnCollection, FlattenForm } from '../customizer/declaration.ts';
import type { ColumnType } from '../query/column-type.ts';
import { isColumnType, unknownTypeProblem } from '../query/column-type-problem.ts';
import { isListType } from '../query/operators.ts';
import { putField } from './add-fields.ts';
import { type CollectionDrafts, type CustomizedDraft, kindInWords, type Refuse } from './collection-draft.ts';
import { type Fault, faultOf, unknownName } from './compile-problem.ts';
import { expandRelation } from './expand-relation.ts';
import { flattenedLeaves } from './flattened-leaves.ts';

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
