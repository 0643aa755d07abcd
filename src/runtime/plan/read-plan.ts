import type { RecordData } from '../query/record-query.ts';
import type { CompiledCollection, CompiledField, CompiledModel, ComputedField } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';
import { createPresenter } from './present-record.ts';

/** One computed field to evaluate, on the records that `relationPath` leads to. */
export interface ComputedStep {
  readonly relationPath: string;
  readonly collection: string;
  readonly field: ComputedField;
}

/** How a projection is answered: what the database gives, what handlers add, and what of it is shown. */
export interface ReadPlan {
  readonly nativeProjection: readonly string[];
  /** In an order in which every field comes after those it depends on. */
  readonly steps: readonly ComputedStep[];
  /** The collections that paths through a relation end in. */
  readonly foreignCollections: ReadonlySet<string>;
  /** The record as the client sees it, in the order of the projection. */
  present(record: RecordData): RecordData;
}

/** Plan a projection of checked or unchecked paths; throws what `resolvePath` throws. Primary keys come along. */
export function planRead(
  model: CompiledModel,
  collection: CompiledCollection,
  projection: readonly string[],
): ReadPlan {
  const native = new Set<string>();
  const steps: ComputedStep[] = [];
  const planned = new Set<string>();
  const foreignCollections = new Set<string>();

  function expand(path: string): void {
    if (planned.has(path)) return;
    planned.add(path);
    const { field, relationPath, collection: owner } = resolvePath(model, collection, path);
    if (field.kind === 'column') {
      native.add(path);
      return;
    }
    for (const dependency of field.dependencies) expand(joined(relationPath, dependency));
    steps.push({ relationPath, field, collection: owner.name });
  }

  const shown = withKeys(model, collection, projection);
  for (const path of shown) {
    const { relationPath, collection: owner } = resolvePath(model, collection, path);
    if (relationPath !== '') foreignCollections.add(owner.name);
    expand(path);
  }
  const present = createPresenter(model, collection, shown, steps.length > 0);
  return { nativeProjection: [...native], steps, foreignCollections, present };
}

/** The projection with the keys of its collection and of every collection it goes through. */
function withKeys(model: CompiledModel, collection: CompiledCollection, projection: readonly string[]): string[] {
  const paths = new Set(projection);
  for (const key of collection.primaryKey) paths.add(key);
  for (const path of projection) {
    const steps = path.split(':').slice(0, -1);
    steps.forEach((_, index) => {
      const relationPath = steps.slice(0, index + 1).join(':');
      for (const key of keysBehind(model, collection, relationPath)) paths.add(joined(relationPath, key));
    });
  }
  return [...paths];
}

function keysBehind(model: CompiledModel, root: CompiledCollection, relationPath: string): readonly string[] {
  let collection: CompiledCollection | undefined = root;
  for (const step of relationPath.split(':')) {
    const field: CompiledField | undefined = collection?.fields.get(step);
    collection = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
  }
  return collection?.primaryKey ?? [];
}

function joined(relationPath: string, field: string): string {
  return relationPath === '' ? field : `${relationPath}:${field}`;
}
