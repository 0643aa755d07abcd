import type { Projection } from './projection.ts';
import { ownValue, valueReader } from './record-path.ts';
import type { RecordData } from './record-query.ts';

/** One value of a shaped record: where it goes, and where it comes from. */
export interface ShapedPath {
  /** In the shaped record: `field` or `relation:field`. */
  readonly path: string;
  /** In the record that is read; `path` again where nothing is renamed or imported. */
  readonly source: string;
  /** The relations of `path` as the record that is read names them. */
  readonly relationSource: string;
  readonly encode?: ((value: unknown) => unknown) | undefined;
}

interface ShapedNode {
  readonly fields: { readonly name: string; readonly read: (root: RecordData) => unknown }[];
  readonly relations: Map<string, { readonly node: ShapedNode; readonly read: (root: RecordData) => unknown }>;
}

/** Records with only the paths, in their order; a relation that leads nowhere is `null`. */
export function createShaper(paths: readonly ShapedPath[]): (record: RecordData) => Record<string, unknown> {
  const root: ShapedNode = { fields: [], relations: new Map() };
  for (const { path, source, relationSource, encode } of paths) {
    const steps = path.split(':');
    const name = steps.pop() ?? '';
    const sourceSteps = relationSource.split(':');
    let node = root;
    for (const [index, step] of steps.entries()) {
      const known = node.relations.get(step);
      const next = known ?? {
        node: { fields: [], relations: new Map() },
        read: valueReader(sourceSteps.slice(0, index + 1).join(':')),
      };
      node.relations.set(step, next);
      node = next.node;
    }
    const read = valueReader(source);
    node.fields.push({ name, read: encode ? (record) => encode(read(record)) : read });
  }
  return (record) => shapeNode(root, record);
}

function shapeNode(node: ShapedNode, root: RecordData): Record<string, unknown> {
  const shaped: Record<string, unknown> = {};
  for (const { name, read } of node.fields) setValue(shaped, name, read(root));
  for (const [name, relation] of node.relations) {
    setValue(shaped, name, isRecord(relation.read(root)) ? shapeNode(relation.node, root) : null);
  }
  return shaped;
}

interface EncodedPath {
  readonly path: string;
  readonly encode: (value: unknown) => unknown;
}

/**
 * Copies of records in which the values at some paths are encoded, and everything else is as it was. V8 copies a record in a tenth of the
 * time in which it builds one value by value.
 */
export function createEncoder(encoded: readonly EncodedPath[]): (record: RecordData) => Record<string, unknown> {
  const here: EncodedPath[] = [];
  const behind = new Map<string, EncodedPath[]>();
  for (const each of encoded) {
    const end = each.path.indexOf(':');
    if (end === -1) {
      here.push(each);
      continue;
    }
    const relation = each.path.slice(0, end);
    behind.set(relation, [...(behind.get(relation) ?? []), { ...each, path: each.path.slice(end + 1) }]);
  }
  const partners = [...behind].map(([relation, paths]) => [relation, createEncoder(paths)] as const);
  return (record) => {
    const copy: Record<string, unknown> = { ...record };
    for (const { path, encode } of here) setValue(copy, path, encode(ownValue(record, path)));
    for (const [relation, encodePartner] of partners) {
      const partner = ownValue(record, relation);
      if (isRecord(partner)) setValue(copy, relation, encodePartner(partner));
    }
    return copy;
  };
}

/** A field may be called `__proto__`. */
export function setValue(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Set the value at the end of a path, as far as records lead there. */
export function setValueAt(record: Record<string, unknown>, path: string, value: unknown): void {
  const relations = path.split(':');
  const last = relations.pop() ?? '';
  let holder: unknown = record;
  for (const relation of relations) holder = isRecord(holder) ? holder[relation] : undefined;
  if (isRecord(holder)) setValue(holder as Record<string, unknown>, last, value);
}

export function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null;
}

/** Cuts a joined record down to what is asked for. */
export function recordProjector(projection: Projection): (record: RecordData) => RecordData {
  const { columns } = projection;
  const relations = [...projection.relations].map(([name, behind]) => [name, recordProjector(behind)] as const);
  return (record) =>
    Object.fromEntries([
      ...columns.map((name) => [name, ownCopy(record[name])]),
      ...relations.map(([name, project]) => {
        const partner = record[name];
        return [name, isRecord(partner) ? project(partner) : null];
      }),
    ]);
}

/** Callers may change the records that they get. */
export function ownCopy(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? structuredClone(value) : (value ?? null);
}
