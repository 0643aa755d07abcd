import * as z from 'zod';
import { nearestName } from '#kernel/text/nearest-name';
import { type CompiledCollection, isValueField } from '../../../model/compiled-model.ts';
import { valueFields } from './shown-record.ts';

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

/**
 * The collections that have every word of a query in their name or in those of their fields, best first.
 *
 * @param visible Those that the caller may see; relations to others do not count.
 */
export function collectionsFor(query: string, visible: readonly CompiledCollection[]): CompiledCollection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const names = new Set(visible.map(({ name }) => name));
  return visible
    .map((collection) => ({ collection, rank: rankOf(collection, words, names) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ collection }) => collection);
}

/** How well a collection fits, 0 for not at all; its own name counts most. */
function rankOf({ name, fields }: CompiledCollection, words: readonly string[], visible: ReadonlySet<string>): number {
  const collectionName = name.toLowerCase();
  const fieldNames = [...fields.values()]
    .filter((field) => !('foreignCollection' in field) || visible.has(field.foreignCollection))
    .map((field) => field.name.toLowerCase());
  const ranks = words.map((word) => {
    if (collectionName === word) return 8;
    if (collectionName.includes(word)) return 4;
    if (nearestName(word, [collectionName]) !== undefined) return 2;
    return fieldNames.some((field) => field.includes(word)) ? 1 : 0;
  });
  return ranks.includes(0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0);
}
