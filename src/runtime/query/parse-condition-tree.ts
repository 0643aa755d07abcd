import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import { checkLeaf } from './check-leaf.ts';
import { coerceLeafValue } from './coerce-leaf-value.ts';
import type { ColumnSchema } from './collection-schema.ts';
import type { ConditionTree } from './condition-tree.ts';
import { operatorFromWire, operatorNames, operatorToWire } from './operators.ts';

/** The column at the end of a path `column` or `relation:column`; throws when there is none. */
export type ColumnLookup = (path: string) => ColumnSchema;

const maxDepth = 32;
const maxLeaves = 500;

/**
 * Read a filter as it comes in a request: JSON text or the value it stands for, operators in wire or code spelling.
 * Values are coerced to the type of their column, then checked.
 *
 * @returns `undefined` for no filter (absent or empty text).
 * @throws `REQUEST_INVALID`, its message beginning with `Invalid filters (`.
 */
export function parseConditionTree(wire: unknown, columnAt: ColumnLookup): ConditionTree | undefined {
  if (wire === undefined || wire === '') return undefined;
  const parser = { columnAt, leaves: 0 };
  return parseNode(typeof wire === 'string' ? parseJson(wire) : wire, parser, 0);
}

interface Parser {
  readonly columnAt: ColumnLookup;
  leaves: number;
}

function parseNode(node: unknown, parser: Parser, depth: number): ConditionTree {
  if (depth > maxDepth) throw invalidFilters(`conditions are nested more than ${maxDepth} levels deep`);
  if (typeof node !== 'object' || node === null) throw invalidFilters('a condition must be an object');
  if ('field' in node && 'operator' in node) {
    parser.leaves += 1;
    if (parser.leaves > maxLeaves) throw invalidFilters(`there are more than ${maxLeaves} conditions`);
    return parseLeaf(node.field, node.operator, 'value' in node ? node.value : undefined, parser.columnAt);
  }
  if ('aggregator' in node && 'conditions' in node) return parseBranch(node.aggregator, node.conditions, parser, depth);
  throw invalidFilters('a condition has either "field" and "operator", or "aggregator" and "conditions"');
}

function parseBranch(aggregator: unknown, conditions: unknown, parser: Parser, depth: number): ConditionTree {
  const name = typeof aggregator === 'string' ? aggregator.charAt(0).toUpperCase() + aggregator.slice(1) : undefined;
  if (name !== 'And' && name !== 'Or') throw invalidFilters('an aggregator is "and" or "or"');
  if (!Array.isArray(conditions)) throw invalidFilters('"conditions" must be a list');
  const children = conditions.map((child: unknown) => parseNode(child, parser, depth + 1));
  const [only] = children;
  return children.length === 1 && only ? only : { aggregator: name, conditions: children };
}

function parseLeaf(field: unknown, spelling: unknown, value: unknown, columnAt: ColumnLookup): ConditionTree {
  if (typeof field !== 'string') throw invalidFilters('"field" must be a text');
  const operator = typeof spelling === 'string' ? operatorFromWire(spelling) : undefined;
  if (operator === undefined) throw invalidFilters(unknownOperator(spelling));
  const column = lookUp(field, columnAt);
  const coerced = coerceLeafValue(column, operator, value);
  const problem = checkLeaf(column, operator, coerced, 'wire');
  if (problem !== undefined) throw invalidFilters(`"${field}": ${problem}`);
  return coerced === undefined || coerced === null
    ? { field, operator, value: null }
    : { field, operator, value: coerced };
}

function lookUp(field: string, columnAt: ColumnLookup): ColumnSchema {
  try {
    return columnAt(field);
  } catch (error) {
    if (isCloudError(error)) throw invalidFilters(error.message, error);
    throw error;
  }
}

function unknownOperator(spelling: unknown): string {
  const nearest = typeof spelling === 'string' ? nearestName(spelling, operatorNames.map(operatorToWire)) : undefined;
  return `there is no operator ${JSON.stringify(spelling)}${nearest ? `; did you mean "${nearest}"?` : ''}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidFilters('not valid JSON', error);
  }
}

function invalidFilters(problem: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message: `Invalid filters (${problem})`,
    nextSteps: ['Correct the "filters" parameter.'],
    details: { parameter: 'filters' },
    cause,
  });
}
