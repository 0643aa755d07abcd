import type { Declaration, DeclarationOf, DeclarationOnCollection } from '../customizer/declaration.ts';
import { expressionProblem } from '../query/check-expression.ts';
import { unknownTypeProblem } from '../query/column-type-problem.ts';
import { type CustomizedDraft, type DeclaredField, kindInWords, type Refuse } from './collection-draft.ts';
import { compileComputedField, declaredColumnType } from './compile-computed-field.ts';
import { compileExternalRelation } from './compile-external-relation.ts';

/** Add the field that a declaration makes, if it makes one. No name is taken twice, and none is silently replaced. */
export function addField(draft: CustomizedDraft, declaration: DeclarationOnCollection, refuse: Refuse): void {
  const field = fieldOf(draft, declaration);
  if (field === undefined) return;
  if (typeof field === 'string') refuse(field, declaration);
  else putField(draft, field, declaration, refuse);
}

/** Add a field under a name that is free. */
export function putField(draft: CustomizedDraft, field: DeclaredField, declaration: Declaration, refuse: Refuse): void {
  if (draft.fields.has(field.name)) {
    const taken = draft.fields.get(field.name);
    refuse(`"${draft.name}" has a ${taken ? kindInWords(taken) : 'field'} "${field.name}" already.`, declaration);
  } else draft.declaredFields.set(field.name, field);
}

/** The field, or what is wrong with it; nothing when the declaration makes none. */
function fieldOf(draft: CustomizedDraft, declaration: DeclarationOnCollection): DeclaredField | string | undefined {
  switch (declaration.kind) {
    case 'field':
    case 'external relation':
    case 'relation':
    case 'import':
      break;
    default:
      return undefined;
  }
  const { kind, name } = declaration;
  const subject = `The ${kind} "${name}" of "${draft.name}"`;
  if (typeof name !== 'string' || name.trim() === '') return `A ${kind} of "${draft.name}" needs a name.`;
  if (/[\s:]/.test(name)) return `${subject} has a space or a colon in its name.`;
  switch (declaration.kind) {
    case 'field': {
      const compiled = compileField(declaration);
      return typeof compiled === 'string' ? `${subject} ${compiled}` : compiled;
    }
    case 'external relation': {
      const compiled = compileExternalRelation(name, declaration.definition, draft.native.primaryKey);
      return typeof compiled === 'string' ? `${subject} ${compiled}` : compiled;
    }
    case 'relation':
      return { kind: 'declared relation', name, definition: declaration.definition, declaration };
    case 'import': {
      const { definition } = declaration;
      if (typeof definition !== 'object' || definition === null) return `${subject} needs a definition.`;
      return { kind: 'import', name, definition, declaration };
    }
  }
}

/** Computed in JavaScript or by an expression, one of the two. */
function compileField(declaration: DeclarationOf<'field'>): DeclaredField | string {
  const { name, definition } = declaration;
  if (typeof definition !== 'object' || definition === null) return 'needs a definition.';
  if (!('expression' in definition)) return compileComputedField(name, definition);
  if ('getValues' in definition || 'dependencies' in definition) {
    return 'has an expression, and "dependencies" or "getValues" beside it; it can have one of the two.';
  }
  const { enumValues, expression, readonly } = definition;
  const columnType = declaredColumnType(definition.columnType);
  if (!columnType) return unknownTypeProblem(definition.columnType);
  if (columnType === 'Enum' && !enumValues?.length) return 'is an Enum and needs its "enumValues".';
  const problem = expressionProblem(expression);
  if (problem !== undefined) return problem;
  const writing = readonly === false ? 'required' : 'never';
  return { kind: 'expression', name, columnType, enumValues, expression, writing, declaration };
}
