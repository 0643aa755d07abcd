import { z } from 'zod';
import { columnOf, isValueField } from '../../../model/compiled-model.ts';
import type { ColumnSchema } from '../../../query/collection-schema.ts';
import { callerOf, collectionNameArgument, collectionOf } from './arguments.ts';
import { defineTool, readingHints } from './tool.ts';

const input = z.strictObject({ collectionName: collectionNameArgument });

const output = z.object({
  collection: z.string(),
  primaryKey: z.array(z.string()),
  isReadOnly: z.boolean(),
  hasSoftDeletes: z.boolean().describe('Deletion marks records: "list" shows them with "deleted".'),
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.unknown(),
      isPrimaryKey: z.boolean(),
      isReadOnly: z.boolean(),
      isRequired: z.boolean(),
      isSortable: z.boolean(),
      operators: z.array(z.string()),
      enumValues: z.array(z.string()).optional(),
    }),
  ),
  relations: z.array(z.object({ name: z.string(), type: z.string(), targetCollection: z.string() })),
  segments: z.array(z.string()),
  actions: z.array(z.object({ name: z.string(), type: z.string(), description: z.string().optional() })),
});

/** Describes a collection. An assistant calls it first when it wants to query the collection. */
export const describeCollectionTool = defineTool({
  name: 'describeCollection',
  title: 'Describe a collection',
  description:
    'Fields, types, filter operators, relations, segments and actions of a collection. Call it before "list", and use the names it gives.',
  hints: readingHints,
  scope: 'mcp:read',
  input,
  output,
  act: ({ collectionName }) => ({ action: 'describeCollection', collection: collectionName }),
  run: async ({ collectionName }, call) => {
    const collection = collectionOf(call, collectionName);
    await call.state.authoriser.require(callerOf(call, 'UTC'), collection.name, 'browse');
    const fields = [...collection.fields.values()];
    return {
      collection: collection.name,
      primaryKey: [...collection.primaryKey],
      isReadOnly: collection.isReadOnly,
      hasSoftDeletes: collection.native.softDelete !== undefined,
      fields: fields.filter(isValueField).map((field) => describeColumn(columnOf(field))),
      relations: fields.flatMap((field) =>
        isValueField(field) ? [] : [{ name: field.name, type: field.kind, targetCollection: field.foreignCollection }],
      ),
      segments: [...collection.segments.keys()],
      actions: [...collection.actions.values()].map(({ name, definition }) => ({
        name,
        type: definition.scope,
        ...(definition.description === undefined ? {} : { description: definition.description }),
      })),
    };
  },
});

function describeColumn(column: ColumnSchema) {
  return {
    name: column.name,
    type: column.type,
    isPrimaryKey: column.isPrimaryKey,
    isReadOnly: column.isReadOnly,
    isRequired: !column.isNullable && !column.hasDefault && !column.isReadOnly,
    isSortable: column.isSortable,
    operators: [...column.operators],
    ...(column.enumValues ? { enumValues: [...column.enumValues] } : {}),
  };
}
