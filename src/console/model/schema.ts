import { queryOptions } from '@tanstack/react-query';
import type { ListedCharts } from '#contracts/dashboards';
import type { VisibleCollection, VisibleField, VisibleRelation, VisibleSchema } from '#contracts/visible-schema';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { impersonationId } from '../wire/session.ts';

export type { VisibleAction, VisibleCollection, VisibleField, VisibleRelation } from '#contracts/visible-schema';

/** What the person may see: names of collections. */
export function schemaQuery(agent: AgentAddress) {
  return queryOptions({
    queryKey: ['schema', agent.environment],
    queryFn: ({ signal }) => askAgent<VisibleSchema>(agent, ['_internal', 'schema'], {}, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** What is in the frame until the agent has answered. */
export const noSchema: VisibleSchema = {
  revision: '',
  collections: [],
  firstCollection: null,
  charts: [],
  dashboards: [],
  webhookOrigins: [],
};

/** The charts over records that the rights list for the person. */
export function listedChartsQuery(agent: AgentAddress) {
  return queryOptions({
    queryKey: ['listed charts', agent.environment],
    queryFn: ({ signal }) => askAgent<ListedCharts>(agent, ['_internal', 'charts'], {}, { signal }),
    staleTime: 30_000,
  });
}

/** One collection whole. */
export function collectionQuery(agent: AgentAddress, name: string) {
  return queryOptions({
    queryKey: ['schema', agent.environment, name],
    queryFn: async ({ signal }) => {
      const collection = await askAgent<VisibleCollection>(agent, ['_internal', 'schema', name], {}, { signal });
      return impersonationId() === undefined ? collection : onlySeen(collection);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** A collection in the view of somebody else: nothing is written there, so nothing offers to. */
function onlySeen(collection: VisibleCollection): VisibleCollection {
  return { ...collection, actions: [], rights: { ...collection.rights, edit: false, add: false, delete: false } };
}

/** A column that a list can show: a field, or a to-one relation by the title of its record. */
export type Column =
  | { readonly name: string; readonly field: VisibleField; readonly relation?: undefined }
  | { readonly name: string; readonly relation: VisibleRelation; readonly field?: undefined };

/** Every column of a collection, keys first. A relation replaces its foreign key. */
export function columnsOf({ fields, relations }: VisibleCollection): readonly Column[] {
  const toOne = relations.filter(isToOne);
  const byKey = new Map(toOne.flatMap((relation) => relation.keys.map((key) => [key, relation] as const)));
  const shown = new Set<string>();
  const columns: Column[] = [];
  for (const field of fields) {
    const relation = byKey.get(field.name);
    if (relation && !field.isPrimaryKey) {
      if (!shown.has(relation.name)) columns.push({ name: relation.name, relation });
      shown.add(relation.name);
    } else columns.push({ name: field.name, field });
  }
  for (const relation of toOne) if (!shown.has(relation.name)) columns.push({ name: relation.name, relation });
  return columns.toSorted((a, b) => rankOf(a) - rankOf(b));
}

export function isToOne({ kind }: VisibleRelation): boolean {
  return kind === 'ManyToOne' || kind === 'OneToOne';
}

export function isToMany(relation: VisibleRelation): boolean {
  return !isToOne(relation);
}

function rankOf({ field }: Column): number {
  return field?.isPrimaryKey ? 0 : 1;
}

/** How a record is projected so that these columns can be shown: the title of a relation comes along. */
export function projectionOf({ primaryKey }: VisibleCollection, columns: readonly Column[]): readonly string[] {
  const paths = columns.map(({ name, relation }) => (relation ? `${name}:${relation.title}` : name));
  return [...new Set([...primaryKey, ...paths])];
}

/** Whether a field, or the key of a relation, may be written in that way. */
export function isWritten(
  { isReadOnly, writtenBy }: Pick<VisibleField, 'isReadOnly' | 'writtenBy'>,
  way: 'edit' | 'add',
): boolean {
  return !isReadOnly && (writtenBy === undefined || writtenBy === way);
}

/** Whether the person may make records. */
export function mayAdd({ rights, isReadOnly }: VisibleCollection): boolean {
  return rights.add && !isReadOnly;
}

/** Whether the value of a cell can be changed where it stands. */
export function isEditable({ rights, isReadOnly }: VisibleCollection, { field, relation }: Column): boolean {
  if (!rights.edit || isReadOnly) return false;
  if (relation) return relation.kind === 'ManyToOne' && isWritten(relation, 'edit');
  return isWritten(field, 'edit') && !field.isPrimaryKey;
}
