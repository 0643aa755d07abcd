import {
  type CompiledCollection,
  type ComputedField,
  isValueField,
  type ModelView,
} from '../../model/compiled-model.ts';
import { joinPath, pathBreak, resolvePath, resolveSource } from '../../model/field-path.ts';
import type { RelationSchema } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import { createShaper, type ShapedPath } from '../../query/shape-record.ts';

/** One computed field to evaluate, on the records that `relationPath` leads to. */
interface ComputeStep {
  readonly kind: 'compute';
  readonly relationPath: string;
  readonly collection: CompiledCollection;
  readonly field: ComputedField;
  /** The part of a record that the handler gets: its dependencies. */
  pick(record: RecordData): RecordData;
}

/** The partners of the records that `relationPath` leads to, to be fetched and nested in them. */
export interface PartnerStep {
  readonly kind: 'partners';
  readonly relationPath: string;
  readonly relation: RelationSchema & { readonly kind: 'ManyToOne' | 'OneToOne' };
  /** The paths of a record that its partner is found by, one for each pair of the join. */
  readonly keys: readonly string[];
  /** The paths that are read of a partner. */
  readonly projection: ReadonlySet<string>;
}

export type ReadStep = ComputeStep | PartnerStep;

/** How the values of paths are had: what the database gives, and what the agent adds, in an order that works. */
export interface ProjectionPlan {
  readonly native: readonly string[];
  readonly steps: readonly ReadStep[];
}

/** Plan to read checked paths. */
export function planProjection(
  model: ModelView,
  collection: CompiledCollection,
  paths: Iterable<string>,
): ProjectionPlan {
  const native = new Set<string>();
  const steps: ReadStep[] = [];
  const planned = new Set<string>();
  const partners = new Map<string, Set<string>>();

  function expand(asked: string): void {
    const { field, path, relationPath, collection: owner } = resolveSource(model, collection, asked);
    if (planned.has(path)) return;
    planned.add(path);
    const found = pathBreak(model, collection, path);
    if (found) {
      projectionBehind(found.prefix, found.collection, found.relation).add(found.rest);
    } else if (field.kind === 'column') {
      native.add(path);
    } else {
      for (const dependency of field.dependencies) expand(joinPath(relationPath, dependency));
      const pick = createPathShaper(model, owner, field.dependencies);
      steps.push({ kind: 'compute', relationPath, field, collection: owner, pick });
    }
  }

  function projectionBehind(prefix: string, owner: CompiledCollection, name: string): Set<string> {
    const key = joinPath(prefix, name);
    const known = partners.get(key);
    if (known) return known;
    const relation = owner.fields.get(name);
    if (!relation || isValueField(relation) || (relation.kind !== 'ManyToOne' && relation.kind !== 'OneToOne')) {
      throw new TypeError(`"${name}" of "${owner.name}" does not lead to one record.`);
    }
    const projection = new Set<string>();
    partners.set(key, projection);
    for (const pair of relation.join) {
      expand(joinPath(prefix, pair.local));
      projection.add(pair.foreign);
    }
    // Whether there is a record to find partners of is seen by its key.
    for (const part of owner.primaryKey) expand(joinPath(prefix, part));
    const keys = relation.join.map((pair) => resolveSource(model, owner, pair.local).path);
    steps.push({ kind: 'partners', relationPath: prefix, relation, keys, projection });
    return projection;
  }

  for (const path of paths) expand(path);
  return { native: [...native], steps };
}

/** A path of customization code: what is read where it says, or where the import that it ends in says. */
export function shapedPath(model: ModelView, collection: CompiledCollection, path: string): ShapedPath {
  const { relationPath } = resolvePath(model, collection, path);
  return { path, source: resolveSource(model, collection, path).path, relationSource: relationPath };
}

/** Records with only the paths of customization code. */
export function createPathShaper(model: ModelView, collection: CompiledCollection, paths: readonly string[]) {
  return createShaper(paths.map((path) => shapedPath(model, collection, path)));
}
