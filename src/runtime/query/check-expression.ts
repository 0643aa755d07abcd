import { dateParts } from './date-part.ts';
import { arithmeticOf, type Expression } from './expression.ts';

const maxDepth = 32;

/** The problem of an expression's form, to follow its name in a sentence. Its fields are not checked. */
export function expressionProblem(expression: unknown, depth = 0): string | undefined {
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
  if (typeof value !== 'string') return 'has a value that is no text, number, boolean or null.';
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
