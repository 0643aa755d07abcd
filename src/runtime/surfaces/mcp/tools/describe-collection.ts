import { z } from 'zod';
import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { describeActions, describedAction } from './describe-actions.ts';
import { describedField, describeFields, operatorsByType } from './describe-fields.ts';
import { isPermitted } from './is-permitted.ts';
import { defineTool, readingHints, type ToolCall } from './tool.ts';
import { valueFields } from './value-fields.ts';

/** Fields of the collection behind a relation, so that one call is enough to build a path. */
const maxRelatedFields = 30;

const input = z.strictObject({ collectionName: collectionNameArgument });

const output = z.object({
  collection: z.string(),
  primaryKey: z.array(z.string()),
  isReadOnly: z.boolean().optional(),
  isSearchable: z.boolean().optional(),
  hasSoftDeletes: z.boolean().optional(),
  fields: z.array(describedField),
  operators: z.record(z.string(), z.array(z.string())).describe('By type; a field with others says so.'),
  relations: z.array(
    z.object({ name: z.string(), type: z.string(), targetCollection: z.string(), fields: z.array(z.string()) }),
  ),
  segments: z.array(z.string()).optional(),
  actions: z.array(describedAction).optional(),
  charts: z.array(z.string()).optional(),
});

/** Describes a collection. An assistant calls it first when it wants to query the collection. */
export const describeCollectionTool = defineTool({
  name: 'describeCollection',
  title: 'Describe a collection',
  description:
    'Fields, filter operators, relations, segments and actions of a collection. Call it before list, and use its names.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output,
  act: ({ collectionName }) => ({ action: 'describeCollection', collection: collectionName }),
  run: async ({ collectionName }, call) => {
    const collection = collectionOf(call, collectionName);
    await call.state.authoriser.require(callerOf(call), collection.name, 'browse');
    const operators = operatorsByType(collection);
    const [relations, actions] = await Promise.all([
      readableRelations(collection, call),
      describeActions(collection, call),
    ]);
    const { isReadOnly, isSearchable } = collection;
    return {
      collection: collection.name,
      primaryKey: [...collection.primaryKey],
      ...(isReadOnly ? { isReadOnly } : {}),
      ...(isSearchable ? { isSearchable } : {}),
      ...(collection.native.softDelete ? { hasSoftDeletes: true } : {}),
      fields: describeFields(collection, operators),
      operators: Object.fromEntries(operators),
      relations,
      ...listed('segments', [...collection.segments.keys()]),
      ...listed('actions', actions),
      ...listed('charts', [...collection.charts.keys()]),
    };
  },
});

/** The relations to collections that the caller may read. */
async function readableRelations({ fields }: CompiledCollection, call: ToolCall) {
  const { model, authoriser } = call.state;
  const caller = callerOf(call);
  const relations = [...fields.values()].map(async (field) => {
    const foreign = isValueField(field) ? undefined : model.collections.get(field.foreignCollection);
    if (!foreign || !(await isPermitted(authoriser.requireReadOn(caller, [foreign.name])))) return [];
    const names = valueFields(foreign).slice(0, maxRelatedFields);
    return [{ name: field.name, type: field.kind, targetCollection: foreign.name, fields: names }];
  });
  return (await Promise.all(relations)).flat();
}

/** Nothing for an empty list. */
function listed<Name extends string, Item>(name: Name, items: Item[]): Partial<Record<Name, Item[]>> {
  return items.length === 0 ? {} : ({ [name]: items } as Record<Name, Item[]>);
}
