import type { RecordData } from '../query/record-query.ts';
import { binaryEncoderOf } from './binary-text.ts';
import type { CompiledCollection, CompiledModel } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';

interface ShownNode {
  readonly fields: { readonly name: string; readonly encode: (value: unknown) => unknown }[];
  readonly relations: Map<string, ShownNode>;
}

/**
 * How the records of a projection are shown: its paths and nothing that was only fetched for a handler, bytes as text.
 *
 * @param hasComputed whether records hold more, or in another order, than the data source was asked for.
 */
export function createPresenter(
  model: CompiledModel,
  collection: CompiledCollection,
  shown: readonly string[],
  hasComputed: boolean,
): (record: RecordData) => RecordData {
  const root: ShownNode = { fields: [], relations: new Map() };
  let hasBytes = false;
  for (const path of shown) {
    const { field, relationPath, collection: owner } = resolvePath(model, collection, path);
    let node = root;
    for (const step of relationPath === '' ? [] : relationPath.split(':')) {
      const next: ShownNode = node.relations.get(step) ?? { fields: [], relations: new Map() };
      node.relations.set(step, next);
      node = next;
    }
    const column = field.kind === 'computed' ? field.column : field;
    const encode = binaryEncoderOf(owner, column);
    hasBytes ||= encode !== undefined;
    node.fields.push({ name: field.name, encode: encode ?? identity });
  }
  // What the data source gives is what is shown; most queries end here.
  if (!hasComputed && !hasBytes) return (record) => record;
  return (record) => presentNode(root, record);
}

function presentNode(node: ShownNode, record: RecordData): RecordData {
  const shown: Record<string, unknown> = Object.create(null);
  for (const { name, encode } of node.fields) shown[name] = encode(record[name] ?? null);
  for (const [name, relation] of node.relations) {
    const related = record[name];
    shown[name] = isRecord(related) ? presentNode(relation, related) : null;
  }
  return { ...shown };
}

export function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null;
}

function identity(value: unknown): unknown {
  return value;
}
