import type { Declaration, DeclarationOf, DeclarationOnCollection } from '../customizer/declaration.ts';
import { unknownTypeProblem } from '../query/column-type-problem.ts';
import { dateParts } from '../query/date-parts.ts';
import { arithmeticOf, type Expression } from '../query/expression.ts';
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

const maxDepth = 32;

/** The problem of an expression's form, to follow its name in a sentence. Its fields are not checked. */
function expressionProblem(expression: unknown, depth = 0): string | undefined {
  if (typeof expression !== 'object' || expression === null) return 'needs an expression: an object such as { field }.';
  if (depth > maxDepth) return `is nested more than ${maxDepth} deep.`;
  const given = expression as Expression;
  const inner = (parts: readonly unknown[], least: number): string | undefined => {
    if (!Array.isArray(parts) || parts.length < least) return `needs a list of at least ${least} in its expression.`;
    return parts.map((part) => expressionProblem(part, depth + 1)).find((problem) => problem !== undefined);
  };
  if ('field' in given) return typeof given.field === 'string' ? undefined : 'has a field that is not a name.';
  if ('value' in given) return constantProblem(given.value);
  if ('concat' in given) return inner(given.concat, 1);
  if ('coalesce' in given) return inner(given.coalesce, 1);
  if ('case' in given) {
    const thens = Array.isArray(given.case) ? given.case.map((branch) => branch?.then) : [];
    const isConditional = thens.length > 0 && given.case.every((branch) => typeof branch?.when === 'object');
    if (!isConditional) return 'needs a list of { when, then } in its expression.';
    return inner(given.else === undefined ? thens : [...thens, given.else], 1);
  }
  if ('jsonPath' in given) return jsonPathProblem(given.jsonPath);
  if ('datePart' in given) {
    if (typeof given.datePart?.field !== 'string') return 'takes a part of no field.';
    const { part } = given.datePart;
    return dateParts.includes(part) ? undefined : `has no part "${part}" of a date; there are ${dateParts.join(', ')}.`;
  }
  const arithmetic = arithmeticOf(given);
  if (!arithmetic) return `has an expression of no known kind: ${Object.keys(given).join(', ')}.`;
  const { operator, operands } = arithmetic;
  const isPair = operator === 'subtract' || operator === 'divide';
  if (isPair && operands.length !== 2) return `needs two numbers to ${operator}.`;
  return inner(operands, 2);
}

function constantProblem(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'has a number that is not finite.';
  if (typeof value !== 'string') return 'has a value that is not a text, number, boolean or null.';
  // PostgreSQL has no text with a null character.
  return value.includes('\0') ? 'has a text with a null character.' : undefined;
}

function jsonPathProblem(given: Extract<Expression, { readonly jsonPath: unknown }>['jsonPath']): string | undefined {
  if (typeof given?.field !== 'string' || !Array.isArray(given.path) || given.path.length === 0) {
    return 'needs a field and a path of at least one step to look into a document.';
  }
  const isStep = (step: unknown) =>
    typeof step === 'string' ? !/["\\\0]/.test(step) : Number.isSafeInteger(step) && Number(step) >= 0;
  const bad = given.path.find((step) => !isStep(step));
  if (bad === undefined) return undefined;
  return `cannot go through ${JSON.stringify(bad)}: a step is a key without quotation marks and backslashes, or a position.`;
}
