import * as z from 'zod';
import type { ActionScope } from '../../../customizer/action-definition.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  deniedWrites,
  isValueField,
} from '../../../model/compiled-model.ts';
import type { ShownRights } from '../../../permissions/authoriser.ts';
import { untrustedColumns } from '../marks/seen-text.ts';
import { rowsThatFit } from '../render/answer-text.ts';
import { describedField, describeFields, operatorsByType } from '../render/describe-fields.ts';
import { valueFields } from '../render/shown-record.ts';
import { callerOf } from './arguments.ts';
import type { PersonalCall } from './tool.ts';

/** Whoever writes a description may write a lot. */
const longestDescription = 300;

const describedAction = z.looseObject({ name: z.string() });

interface DescribedAction extends z.input<typeof describedAction> {
  readonly type: ActionScope;
  readonly description?: string;
  readonly hasForm?: boolean;
  /** Its result is a file. */
  readonly download?: boolean;
}

/** The actions that the caller may trigger, on some records at least. */
export function describeActions(collection: CompiledCollection, rights: ShownRights): DescribedAction[] {
  return [...collection.actions.values()].flatMap(({ name, definition }) => {
    if (!rights.mayTrigger(collection.name, name)) return [];
    const { scope, description, form, generateFile } = definition;
    const hasForm = typeof form === 'function' || (form !== undefined && form.length > 0);
    return [
      {
        name,
        type: scope,
        ...(description === undefined ? {} : { description: description.slice(0, longestDescription) }),
        ...(hasForm ? { hasForm } : {}),
        ...(generateFile ? { download: true } : {}),
      },
    ];
  });
}

/** Fields of the collection behind a relation, so that one call is enough to build a path. */
const maxRelatedFields = 30;

/** How much of a description its fields, and its relations, take at most. */
const maxFieldBytes = 40_000;
const maxRelationBytes = 20_000;

/** A collection as it is described. What is empty or not so is left out. */
export const collectionDescription = z.object({
  collection: z.string().optional(),
  primaryKey: z.array(z.string()).optional(),
  isReadOnly: z.boolean().optional(),
  /** What the database refuses its user. */
  deniedWrites: z.array(z.string()).optional(),
  isSearchable: z.boolean().optional(),
  hasSoftDeletes: z.boolean().optional(),
  fields: z.array(describedField).optional(),
  operators: z.record(z.string(), z.array(z.string())).optional().describe('By type'),
  relations: z.array(z.looseObject({ name: z.string(), targetCollection: z.string() })).optional(),
  segments: z.array(z.string()).optional(),
  actions: z.array(describedAction).optional(),
  charts: z.array(z.string()).optional(),
  truncated: z.boolean().optional(),
});

type Described = z.input<typeof collectionDescription>;

/** Describe a collection to somebody: relations, actions and fields as far as their rights go. Asks for the right to browse. */
export async function describeCollection(collection: CompiledCollection, call: PersonalCall): Promise<Described> {
  const { model, authoriser } = call.state;
  await authoriser.require(callerOf(call), collection.name, 'browse');
  const rights = await authoriser.rightsOf(call.claims);
  const operators = operatorsByType(collection);
  const relations = readableRelations(model, collection, rights);
  const actions = describeActions(collection, rights);
  const fields = describeFields(collection, operators, untrustedColumns(model, collection));
  const shownFields = rowsThatFit(fields, maxFieldBytes);
  const shownRelations = rowsThatFit(relations, maxRelationBytes);
  const isTruncated = shownFields.length < fields.length || shownRelations.length < relations.length;
  const { isReadOnly, isSearchable } = collection;
  return {
    collection: collection.name,
    primaryKey: [...collection.primaryKey],
    ...(isReadOnly ? { isReadOnly } : {}),
    ...listed('deniedWrites', [...deniedWrites(collection)]),
    ...(isSearchable ? { isSearchable } : {}),
    ...(collection.native.softDelete ? { hasSoftDeletes: true } : {}),
    fields: [...shownFields],
    operators: Object.fromEntries(operators),
    relations: [...shownRelations],
    ...listed('segments', [...collection.segments.keys()]),
    ...listed('actions', actions),
    ...listed('charts', [...collection.charts.keys()]),
    ...(isTruncated ? { truncated: true } : {}),
  };
}

/** The relations to collections that the caller may read. */
function readableRelations(model: CompiledModel, { fields }: CompiledCollection, rights: ShownRights) {
  return [...fields.values()].flatMap((field) => {
    const foreign = isValueField(field) ? undefined : model.collections.get(field.foreignCollection);
    if (!foreign || !rights.has(foreign.name, 'read')) return [];
    const names = valueFields(foreign).slice(0, maxRelatedFields);
    return [{ name: field.name, type: field.kind, targetCollection: foreign.name, fields: names }];
  });
}

/** Nothing for an empty list. */
function listed<Name extends string, Item>(name: Name, items: Item[]): Partial<Record<Name, Item[]>> {
  return items.length === 0 ? {} : ({ [name]: items } as Record<Name, Item[]>);
}
