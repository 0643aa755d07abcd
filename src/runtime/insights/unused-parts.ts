import type { Insights } from '#contracts/insights';
import { type CompiledCollection, type CompiledModel, isValueField } from '../model/compiled-model.ts';
import { resolvePath } from '../model/field-path.ts';
import type { Counts } from './query-recorder.ts';

type Unused = Insights['unused'];

/**
 * What is published and no request has named. Keys, the columns of relations, and the columns that the data source keeps are needed
 * anyway, and so is what a computed field that is used depends on.
 */
export function unusedParts(model: CompiledModel, counts: Counts): Unused {
  const used = usedFields(model, counts);
  const ran = [...counts.queries.values()].map(({ shape }) => shape);
  const isCalled = (collection: string | undefined, kind: 'chart' | 'action' | 'segment', name: string) =>
    ran.some(
      (shape) =>
        shape.collection === collection &&
        shape.name === name &&
        (kind === 'segment' ? shape.kind === 'list' || shape.kind === 'count' : shape.kind === kind),
    );
  const published = [...model.collections.values()];
  const isAsked = ({ name }: CompiledCollection) => used.has(name) || ran.some((shape) => shape.collection === name);
  const asked = published.filter(isAsked);
  return {
    collections: published.filter((collection) => !isAsked(collection)).map(({ name }) => name),
    fields: asked.flatMap((collection) => unusedFields(model, collection, used.get(collection.name) ?? new Set())),
    customizations: [
      ...asked.flatMap(({ name: collection, segments, actions, charts }) => [
        ...[...segments.keys()].map((name) => ({ collection, kind: 'segment' as const, name })),
        ...[...actions.values()].map(({ name }) => ({ collection, kind: 'action' as const, name })),
        ...[...charts.keys()].map((name) => ({ collection, kind: 'chart' as const, name })),
      ]),
      ...[...model.charts.keys()].map((name) => ({ collection: null, kind: 'chart' as const, name })),
    ].filter(({ collection, kind, name }) => !isCalled(collection ?? undefined, kind, name)),
  };
}

type FieldsByCollection = Map<string, Set<string>>;

/** The fields that requests have named, by the collection that each path ends in. */
function usedFields(model: CompiledModel, counts: Counts): FieldsByCollection {
  const used: FieldsByCollection = new Map();
  const add = (collection: string, field: string) => {
    const fields = used.get(collection) ?? new Set();
    used.set(collection, fields.add(field));
  };
  for (const collection of model.collections.values()) {
    for (const path of counts.used.get(collection.name) ?? []) {
      const end = endOf(model, collection, path);
      if (end) add(end.collection.name, end.field.name);
    }
  }
  return used;
}

/** `undefined` for a path of an earlier model. */
function endOf(model: CompiledModel, collection: CompiledCollection, path: string) {
  try {
    return resolvePath(model, collection, path, 'all');
  } catch {
    return undefined;
  }
}

function unusedFields(
  model: CompiledModel,
  collection: CompiledCollection,
  used: ReadonlySet<string>,
): Unused['fields'] {
  const needed = neededColumns(model, collection);
  for (const name of used) {
    const field = collection.fields.get(name);
    if (field?.kind === 'computed') for (const path of field.dependencies) needed.add(path);
  }
  return [...collection.fields.values()].flatMap((field) => {
    if (!isValueField(field) || used.has(field.name)) return [];
    const original = model.names.originalPath(collection.name, field.name);
    return needed.has(original) ? [] : [{ collection: collection.name, kind: field.kind, name: field.name }];
  });
}

/** The columns that a collection cannot do without, in original names. */
function neededColumns(model: CompiledModel, { name, native, primaryKey }: CompiledCollection): Set<string> {
  const needed = new Set(primaryKey.map((key) => model.names.originalPath(name, key)));
  const { softDelete, timestamps } = native;
  for (const column of [softDelete?.column, timestamps?.created, timestamps?.updated]) if (column) needed.add(column);
  for (const field of model.original.collections.get(name)?.fields.values() ?? []) {
    if (field.kind === 'ManyToMany') for (const { local } of field.originJoin) needed.add(local);
    else if ('join' in field) for (const { local } of field.join) needed.add(local);
  }
  return needed;
}
