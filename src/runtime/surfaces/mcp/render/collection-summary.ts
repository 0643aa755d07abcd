import * as z from 'zod';
import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';
import { valueFields } from './value-fields.ts';

/** How much is said of each collection. */
export const detailArgument = z.enum(['names', 'summary']).default('names');

export const collectionsOutput = z.object({
  collections: z.array(
    z.object({
      name: z.string(),
      fields: z.array(z.string()).optional(),
      relations: z.record(z.string(), z.string()).optional(),
      isReadOnly: z.boolean().optional(),
    }),
  ),
  truncated: z.boolean().optional(),
  total: z.int(),
});

type Summary = z.input<typeof collectionsOutput>['collections'][number];

const maxFields = 30;

/** @param visible Names of collections that the caller may see; relations to others are left out. */
export function summaryOf(
  collection: CompiledCollection,
  detail: z.output<typeof detailArgument>,
  visible: ReadonlySet<string>,
): Summary {
  const { name, isReadOnly, fields } = collection;
  if (detail === 'names') return { name };
  const relations = [...fields.values()].flatMap((field) =>
    isValueField(field) || !visible.has(field.foreignCollection) ? [] : [[field.name, field.foreignCollection]],
  );
  return {
    name,
    fields: valueFields(collection).slice(0, maxFields),
    ...(relations.length > 0 ? { relations: Object.fromEntries(relations) } : {}),
    ...(isReadOnly ? { isReadOnly } : {}),
  };
}
