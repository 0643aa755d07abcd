import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { createRowWriter, type RowWriter } from './row-writer.ts';
import { dateOnly, dayMs, momentBetween, timestamp } from './sample-times.ts';
import { adjectives, categoryTree, colours, materials, tagNames } from './sample-words.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface SampleProduct {
  readonly id: number;
  readonly priceCents: number;
}

export const productCount = 800;
export const couponCodes = ['WELCOME10', 'SPRING15', 'LEAPDAY29', 'BLACKWEEK', 'STAFF40'] as const;

const firstDay = Date.UTC(2021, 0, 4);

/** Categories with their sub-categories, products with their tags, coupons. */
export function seedProducts(
  connection: SqliteConnection,
  random: SeededRandom,
): { products: SampleProduct[]; writers: RowWriter[] } {
  const categories = createRowWriter(connection, 'categories', ['id', 'name', 'parent_id']);
  const leaves: { readonly id: number; readonly name: string }[] = [];
  let categoryId = 0;
  for (const [parent, children] of Object.entries(categoryTree)) {
    const parentId = ++categoryId;
    categories.write(parentId, parent, null);
    for (const name of children) {
      categories.write(++categoryId, name, parentId);
      leaves.push({ id: categoryId, name });
    }
  }

  const tags = createRowWriter(connection, 'tags', ['id', 'name']);
  for (const [index, name] of tagNames.entries()) tags.write(index + 1, name);

  const { products, writers } = writeProducts(connection, random, leaves);

  const coupons = createRowWriter(connection, 'coupons', ['code', 'percent', 'valid_from', 'valid_until']);
  couponCodes.forEach((code, index) => {
    const from = Date.UTC(2023, index * 2, 1);
    coupons.write(code, 10 + index * 5, dateOnly(from), index % 2 === 0 ? null : dateOnly(from + 400 * dayMs));
  });
  return { products, writers: [categories, tags, ...writers, coupons] };
}

function writeProducts(
  connection: SqliteConnection,
  random: SeededRandom,
  leaves: readonly { readonly id: number; readonly name: string }[],
): { products: SampleProduct[]; writers: RowWriter[] } {
  const columns = [
    'id',
    'sku',
    'name',
    'description',
    'category_id',
    'price',
    'weight_kg',
    'is_active',
    'attributes',
    'created_at',
  ];
  const writer = createRowWriter(connection, 'products', columns);
  const productTags = createRowWriter(connection, 'product_tags', ['product_id', 'tag_id']);
  const products: SampleProduct[] = [];
  for (let id = 1; id <= productCount; id++) {
    const leaf = leaves[id % leaves.length] ?? { id: 1, name: 'Thing' };
    const priceCents = random.integer(99, 49_999);
    const material = random.pick(materials);
    writer.write(
      id,
      `${leaf.name.slice(0, 3).toUpperCase()}-${String(id).padStart(5, '0')}`,
      `${random.pick(adjectives)} ${material.toLowerCase()} ${leaf.name.toLowerCase()} No. ${id}`,
      random.chance(0.2) ? null : `Made of ${material.toLowerCase()}, for ${leaf.name.toLowerCase()} that last.`,
      leaf.id,
      decimal(priceCents),
      random.chance(0.1) ? null : random.integer(1, 4_000) / 100,
      random.chance(0.94),
      random.chance(0.15)
        ? null
        : JSON.stringify({
            colour: random.pick(colours),
            sizes: [random.integer(1, 4), random.integer(5, 9)],
            warranty: { years: random.integer(0, 5) },
          }),
      timestamp(momentBetween(random, firstDay, firstDay + 700 * dayMs)),
    );
    for (let tag = 1; tag <= tagNames.length; tag++) if (random.chance(0.15)) productTags.write(id, tag);
    products.push({ id, priceCents });
  }
  return { products, writers: [writer, productTags] };
}

/** An amount in cents as decimal text with two digits after the point. */
export function decimal(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
