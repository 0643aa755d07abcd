import pluralize from 'pluralize';
import type { MongoStatements } from '#kernel/ports/mongo-database';
import type { ForeignKeyDescription } from '../../tables/table-description.ts';
import type { DescribedCollection, DescribedColumn } from './describe-documents.ts';

/** A column whose values may be keys of documents. */
interface Candidate {
  readonly collection: DescribedCollection;
  readonly described: DescribedColumn;
}

interface Target {
  readonly name: string;
  readonly source: string;
  readonly keyType: string;
}

/**
 * The references of each collection. A field refers to a collection when all the values that samples show of it are keys there. Ids and
 * UUIDs may have any name; numbers and texts only one like `customerId`. Where several collections have the keys, the name decides.
 */
export async function findReferences(
  statements: MongoStatements,
  collections: readonly DescribedCollection[],
): Promise<ReadonlyMap<string, readonly ForeignKeyDescription[]>> {
  const targets = collections.flatMap(targetOf);
  const candidates = collections.flatMap((collection) =>
    collection.columns.filter(mayRefer).map((described): Candidate => ({ collection, described })),
  );
  const found = await Promise.all(targets.map((target) => keysIn(statements, target, candidates)));
  const references = new Map<string, ForeignKeyDescription[]>();
  for (const { collection, described } of candidates) {
    const { name } = described.column;
    const fitting = targets.filter(({ keyType }, index) => {
      const texts = [...described.sampled.examples.keys()];
      return keyType === described.column.nativeType && texts.every((text) => found[index]?.has(text));
    });
    const [only, ...others] = fitting;
    const chosen = others.length === 0 ? only : fitting.find((target) => isNamedAfter(name, target.name));
    if (!chosen) continue;
    const known = references.get(collection.name) ?? [];
    references.set(collection.name, [
      ...known,
      { columns: [name], foreignTable: chosen.name, foreignColumns: ['_id'] },
    ]);
  }
  for (const { name, parent } of collections) {
    if (parent === undefined) continue;
    const known = references.get(name) ?? [];
    references.set(name, [{ columns: ['parentId'], foreignTable: parent, foreignColumns: ['_id'] }, ...known]);
  }
  return references;
}

/** Keys of documents that are one value. */
function targetOf({ name, parent, primaryKey, columns, source }: DescribedCollection): Target[] {
  const key = columns.find(({ path }) => path === '_id');
  if (parent !== undefined || primaryKey.length !== 1 || !key) return [];
  return [{ name, source: source.collection, keyType: key.column.nativeType }];
}

function mayRefer({ column, path, sampled }: DescribedColumn): boolean {
  if (path === '_id' || path === 'parentId' || sampled.examples.size === 0) return false;
  if (['objectId', 'uuid'].includes(column.nativeType)) return true;
  return ['string', 'int', 'long'].includes(column.nativeType) && /[a-z0-9](?:_id|Id|ID)$/.test(column.name);
}

/** Which of the values that may refer to the collection are keys of it, as text; in one query. */
async function keysIn(
  statements: MongoStatements,
  { source, keyType }: Target,
  candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
  const examples = new Map(
    candidates
      .filter(({ described }) => described.column.nativeType === keyType)
      .flatMap(({ described }) => [...described.sampled.examples]),
  );
  if (examples.size === 0) return new Set();
  const pipeline = [{ $match: { _id: { $in: [...examples.values()] } } }, { $project: { _id: 1 } }];
  const documents = await statements.aggregate(source, pipeline);
  return new Set(documents.map(({ _id }) => String(_id)));
}

/** `customerId`, `customer_id` and `customer` are named after `customers`. */
function isNamedAfter(column: string, collection: string): boolean {
  const base =
    column
      .split('@@@')
      .at(-1)
      ?.replace(/(?:_id|Id|ID)s?$/, '') ?? '';
  return [base, pluralize.plural(base)].some((name) => name.toLowerCase() === collection.toLowerCase());
}
