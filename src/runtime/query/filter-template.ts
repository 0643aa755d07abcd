import { isCloudError } from '#kernel/errors/cloud-error';
import { checkLeaf, longestPatterns, operatorProblem, patternLength } from './check-condition.ts';
import { coerceLeafValue } from './coerce-leaf-value.ts';
import type { ColumnSchema } from './collection-schema.ts';
import { type ConditionTemplate, openCondition } from './condition-template.ts';
import type { ConditionTree } from './condition-tree.ts';
import { type Operator, operatorFromWire } from './operators.ts';
import { invalidFilters, type WireFilter, wireNode } from './wire-filter.ts';

/** The column at the end of a path `column` or `relation:column`; throws when there is none. */
export type ColumnLookup = (path: string) => ColumnSchema;

/** The structure of a filter, checked against the columns of a collection. */
export interface FilterTemplate extends ConditionTemplate {
  /**
   * The values of a filter of this structure, coerced to the types of their columns and checked.
   *
   * @throws `REQUEST_INVALID` for a value that does not fit.
   */
  accept(values: readonly unknown[]): readonly unknown[];
}

interface FilterLeaf {
  readonly field: string;
  readonly column: ColumnSchema;
  readonly operator: Operator;
}

/**
 * Check the names of a filter; operators come in wire or code spelling.
 *
 * @throws `REQUEST_INVALID`, its message beginning with `Invalid filters (`.
 */
export function compileFilter({ nodes }: Pick<WireFilter, 'nodes'>, columnAt: ColumnLookup): FilterTemplate {
  const leaves: FilterLeaf[] = [];
  const compile = (wire: unknown): ConditionTree => {
    const node = wireNode(wire);
    if (!('field' in node)) return branchOf(node.aggregator, node.conditions.map(compile));
    const leaf = leafOf(node.field, node.operator, columnAt);
    leaves.push(leaf);
    return { field: leaf.field, operator: leaf.operator };
  };
  const { template } = openCondition(compile(nodes));
  return {
    ...template,
    accept: (values) => {
      const accepted = leaves.map((leaf, index) => acceptedValue(leaf, values[index]));
      refuseLongPatterns(leaves, accepted);
      return accepted;
    },
  };
}

/** Each condition of a filter is compared with each row, so all of their texts count together. */
function refuseLongPatterns(leaves: readonly FilterLeaf[], values: readonly unknown[]): void {
  const length = leaves.reduce((sum, { operator }, index) => sum + patternLength(operator, values[index]), 0);
  if (length > longestPatterns) {
    throw invalidFilters(
      `all texts that it looks for have ${length} characters, and at most ${longestPatterns} are allowed`,
    );
  }
}

function branchOf(aggregator: unknown, conditions: readonly ConditionTree[]): ConditionTree {
  const name = typeof aggregator === 'string' ? aggregator.charAt(0).toUpperCase() + aggregator.slice(1) : undefined;
  if (name !== 'And' && name !== 'Or') throw invalidFilters('an aggregator is "and" or "or"');
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { aggregator: name, conditions };
}

function leafOf(field: unknown, spelling: unknown, columnAt: ColumnLookup): FilterLeaf {
  if (typeof field !== 'string') throw invalidFilters('"field" must be a text');
  const column = lookUp(field, columnAt);
  const operator = typeof spelling === 'string' ? operatorFromWire(spelling) : undefined;
  if (operator === undefined) throw invalidFilters(`"${field}": ${operatorProblem(column, spelling, 'wire')}`);
  return { field, operator, column };
}

function acceptedValue({ field, column, operator }: FilterLeaf, value: unknown): unknown {
  const coerced = coerceLeafValue(column, operator, value);
  const problem = checkLeaf(column, operator, coerced, 'wire');
  if (problem !== undefined) throw invalidFilters(`"${field}": ${problem}`);
  return coerced ?? null;
}

function lookUp(field: string, columnAt: ColumnLookup): ColumnSchema {
  try {
    return columnAt(field);
  } catch (error) {
    if (isCloudError(error)) throw invalidFilters(error.message, error);
    throw error;
  }
}
