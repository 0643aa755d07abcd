import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { isTooDeep, parseExactly } from '#kernel/json/read-json';

const maxDepth = 32;
const maxLeaves = 500;

/** A filter as it came in a request, in two parts: its structure and its values. */
export interface WireFilter {
  /** The same for filters that differ in their values only. */
  readonly key: string;
  /** In reading order. */
  readonly values: readonly unknown[];
  /** The whole of it, parsed. */
  readonly nodes: unknown;
}

/**
 * Read a filter of a request: JSON text or the value it stands for. Names and values are not looked at.
 *
 * @returns `undefined` for no filter (absent or empty text).
 * @throws `REQUEST_INVALID`, its message beginning with `Invalid filters (`.
 */
export function readWireFilter(wire: unknown): WireFilter | undefined {
  if (wire === undefined || wire === '') return undefined;
  const nodes = typeof wire === 'string' ? parseJson(wire) : wire;
  const values: unknown[] = [];
  return { key: keyOf(nodes, values, 0), values, nodes };
}

/** A node of a filter, before its names are known to be right. */
export type WireNode =
  | { readonly field: unknown; readonly operator: unknown; readonly value?: unknown }
  | { readonly aggregator: unknown; readonly conditions: readonly unknown[] };

/** Throws `REQUEST_INVALID` for what is neither a condition nor several of them. */
export function wireNode(node: unknown): WireNode {
  if (typeof node !== 'object' || node === null) throw invalidFilters('a condition must be an object');
  if ('field' in node && 'operator' in node) return node as WireNode;
  if (!('aggregator' in node) || !('conditions' in node)) {
    throw invalidFilters('a condition has either "field" and "operator", or "aggregator" and "conditions"');
  }
  if (!Array.isArray(node.conditions)) throw invalidFilters('"conditions" must be a list');
  return node as WireNode;
}

function keyOf(wire: unknown, values: unknown[], depth: number): string {
  if (depth > maxDepth) throw invalidFilters(`conditions are nested more than ${maxDepth} levels deep`);
  const node = wireNode(wire);
  if ('field' in node) {
    values.push(node.value);
    if (values.length > maxLeaves) throw invalidFilters(`there are more than ${maxLeaves} conditions`);
    return `${nameKey(node.field)} ${nameKey(node.operator)};`;
  }
  let key = `${nameKey(node.aggregator)}(`;
  for (const condition of node.conditions) key += keyOf(condition, values, depth + 1);
  return `${key})`;
}

/** A name begins with its length, so that no name reads like two. */
function nameKey(name: unknown): string {
  return typeof name === 'string' ? `${name.length}:${name}` : `?${JSON.stringify(name)}`;
}

function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw invalidFilters('nested too deep');
  try {
    return parseExactly(text);
  } catch (error) {
    throw invalidFilters('not valid JSON', error);
  }
}

export function invalidFilters(problem: string, cause?: unknown): CloudError {
  return cloudError('REQUEST_INVALID', `Invalid filters (${problem})`, 'Correct the "filters" parameter.', {
    details: { parameter: 'filters' },
    cause,
  });
}
