import { invalidRequest } from '#kernel/errors/request-errors';
import type { RelationSchema } from '../query/collection-schema.ts';
import type { CompiledCollection, CompiledModel } from './compiled-model.ts';

/** Whether somebody may write the columns by which a relation links records; names are published ones. */
export function isLinkWritable(
  model: CompiledModel,
  collection: CompiledCollection,
  relation: RelationSchema,
): boolean {
  return linkColumns(relation, collection.name).every(([holder, column]) => {
    const limit = model.collections.get(holder)?.limits.get(column);
    return limit === undefined || (limit.isWritable && limit.writtenBy === undefined);
  });
}

/** Throws `REQUEST_INVALID`, which names the relation. */
export function requireWritableLink(
  model: CompiledModel,
  collection: CompiledCollection,
  relation: RelationSchema,
): void {
  if (isLinkWritable(model, collection, relation)) return;
  throw invalidRequest(
    `Your rights do not let you change what "${relation.name}" of "${collection.name}" leads to.`,
    'Ask an administrator of the project for the right to write its key.',
  );
}

/** The columns that are written when records are linked, each with its collection. */
function linkColumns(relation: RelationSchema, owner: string): readonly (readonly [holder: string, column: string])[] {
  const { foreignCollection } = relation;
  if (relation.kind === 'ManyToOne') return relation.join.map(({ local }) => [owner, local]);
  if (relation.kind !== 'ManyToMany') return relation.join.map(({ foreign }) => [foreignCollection, foreign]);
  const { throughCollection, originJoin, foreignJoin } = relation;
  return [
    ...originJoin.map(({ foreign }) => [throughCollection, foreign] as const),
    ...foreignJoin.map(({ local }) => [throughCollection, local] as const),
  ];
}
