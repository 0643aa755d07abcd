import { binaryEncoderOf } from '../../model/binary-text.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type CompiledModel,
  columnOf,
} from '../../model/compiled-model.ts';
import { collectionsBehind, joinPath, resolvePath } from '../../model/field-path.ts';
import type { RecordData } from '../../query/record-query.ts';
import { createEncoder, createShaper } from '../../query/shape-record.ts';
import { planProjection, shapedPath } from '../read/plan-projection.ts';

/** How a published projection is answered. */
export interface ReadPlan {
  /** The projection that is read, in original names. */
  readonly projection: readonly string[];
  /** The same as the client names it. */
  readonly published: readonly string[];
  /** The collections that paths through a relation end in. */
  readonly foreignCollections: ReadonlySet<string>;
  /** The collections that paths lead through, those of imported fields too. */
  readonly reachedCollections: ReadonlySet<string>;
  /** The record as the client sees it. Shows more than the projection where more was read: `publish` after `unfold` never does. */
  present(record: RecordData): RecordData;
  /** The same in two steps, for hooks in between: the record as customization code sees it, then as the client does. */
  unfold(record: RecordData): Record<string, unknown>;
  publish(record: RecordData): RecordData;
}

/** How a record is presented that needs no shaping. */
export const asStored = (record: RecordData): RecordData => record;

/** Plan a projection of published paths; throws what `resolvePath` throws. Primary keys come along. */
export function planRead(
  model: CompiledModel,
  collection: CompiledCollection,
  projection: readonly string[],
): ReadPlan {
  const foreignCollections = new Set<string>();
  const root = model.original.collections.get(collection.name) ?? collection;
  let isAsStored = model.names.isIdentity;
  const shown = withKeys(model, collection, projection).map((path) => {
    const { field, relationPath, collection: owner } = resolvePath(model, collection, path);
    if (relationPath !== '') foreignCollections.add(owner.name);
    const original = model.names.originalPath(collection.name, path);
    const encode = owner.limits.get(field.name)?.mask ?? binaryEncoderOf(owner, columnOf(field));
    const { source, relationSource } = shapedPath(model.original, root, original);
    isAsStored &&= source === path;
    return { path, original, source, relationSource, encode };
  });
  const paths = shown.map(({ original }) => original);
  isAsStored &&= planProjection(model.original, root, paths).steps.length === 0;
  const encoded = shown.flatMap(({ path, encode }) => (encode ? [{ path, encode }] : []));
  // Most queries show records as the data source gives them.
  const present = !isAsStored ? createShaper(shown) : encoded.length > 0 ? createEncoder(encoded) : asStored;
  // Few collections have hooks in between.
  const unfold = madeOnce(() =>
    createShaper(shown.map(({ encode: _encode, ...asked }) => ({ ...asked, path: asked.original }))),
  );
  const publish = madeOnce(() => createShaper(shown.map((asked) => ({ ...asked, source: asked.original }))));
  const published = Object.freeze(shown.map(({ path }) => path));
  return Object.freeze({
    projection: Object.freeze(paths),
    published,
    foreignCollections,
    reachedCollections: collectionsBehind(model.original, root, paths),
    present,
    unfold: (record: RecordData) => unfold()(record),
    publish: (record: RecordData) => publish()(record),
  });
}

function madeOnce<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The projection with the keys of its collection and of every collection it goes through. */
function withKeys(model: CompiledModel, collection: CompiledCollection, projection: readonly string[]): string[] {
  const paths = new Set(projection);
  for (const key of collection.primaryKey) paths.add(key);
  for (const path of projection) {
    const steps = path.split(':').slice(0, -1);
    steps.forEach((_, index) => {
      const relationPath = steps.slice(0, index + 1).join(':');
      for (const key of keysBehind(model, collection, relationPath)) paths.add(joinPath(relationPath, key));
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
