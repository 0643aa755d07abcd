import { DateTime } from 'luxon';
import type { MongoDocument, MongoPipeline } from '#kernel/ports/mongo-database';
import type { ColumnSchema, JoinPairs } from '../../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { SortClause } from '../../query/record-query.ts';
import type { QueryContext } from '../interface/data-source.ts';
import {
  collectionNamed,
  columnNamed,
  type MongoCollection,
  type MongoModel,
  pathOfColumn,
  relationNamed,
  rootFilter,
  unplanned,
} from './document-source.ts';
import { leafFilter, nothing } from './mongo-leaf-filter.ts';

/** A collection that the pipeline has at hand, and what the paths of its columns begin with. */
interface Reached {
  readonly collection: MongoCollection;
  readonly prefix: string;
}

/** A column that the pipeline has at hand. */
export interface ReachedColumn {
  readonly column: ColumnSchema;
  readonly path: string;
}

/**
 * Puts together the aggregation of one query. Relations are joined when something first asks for them, each once. For one
 * record that is a `$lookup` whose result is kept under a name of its own. For conditions on related records it is a `$lookup`
 * that stops at the first record.
 */
export class QueryPipeline {
  readonly #model: MongoModel;
  readonly #root: Reached;
  readonly #now: DateTime;
  readonly #joined = new Map<string, Reached>();
  readonly #stages: MongoDocument[];
  readonly #beginsWithDocuments: boolean;
  #lookups = 0;

  /** @param begin what its stages begin with, where what makes records of documents comes before them. */
  constructor(model: MongoModel, collection: MongoCollection, now: DateTime, begin?: MongoPipeline) {
    this.#model = model;
    this.#root = { collection, prefix: '' };
    this.#now = now;
    this.#stages = [...(begin ?? collection.source.prefix)];
    this.#beginsWithDocuments = begin === undefined;
  }

  get stages(): MongoPipeline {
    return this.#stages;
  }

  /** Whether a relation was joined, so that the stages say more than a filter can. */
  get hasLookups(): boolean {
    return this.#lookups > 0;
  }

  add(...stages: MongoPipeline): void {
    this.#stages.push(...stages);
  }

  /** Keep what fulfils the condition: what is of the document itself first, as that may use an index. */
  match(where: ConditionTree | undefined): void {
    if (!where) return;
    const { own, related } = this.#parted(where);
    const { source } = this.#root.collection;
    const atRoot = source.element && this.#beginsWithDocuments ? rootFilter(source, own) : undefined;
    if (atRoot) this.#stages.unshift({ $match: atRoot });
    if (own.length > 0) this.#keep(own.map((part) => this.filterOf(part)));
    if (related.length > 0) this.#keep(related.map((part) => this.filterOf(part)));
  }

  /** The filter of the parts of a condition that are of the document itself. */
  ownFilter(where: ConditionTree | undefined): MongoDocument {
    const own = where ? this.#parted(where).own : [];
    return joined(
      '$and',
      own.map((part) => this.filterOf(part)),
    );
  }

  sort(clauses: readonly SortClause[]): void {
    const keys = new Map<string, 1 | -1>();
    for (const { field, ascending } of clauses) {
      const { path } = this.reach(field);
      if (!keys.has(path)) keys.set(path, ascending ? 1 : -1);
    }
    if (keys.size > 0) this.add({ $sort: Object.fromEntries(keys) });
  }

  /** The column at the end of `column` or `relation:column`, through relations to one record. */
  reach(fieldPath: string): ReachedColumn {
    const steps = fieldPath.split(':');
    const name = steps.pop() ?? '';
    const { collection, prefix } = this.#reachRelation(steps);
    return { column: columnNamed(collection, name), path: `${prefix}${pathOfColumn(collection, name)}` };
  }

  /** A path that has a value exactly where the relation has a record. */
  markOf(relationPath: string): string {
    return `${this.#reachRelation(relationPath.split(':')).prefix}_id`;
  }

  filterOf(tree: ConditionTree): MongoDocument {
    if (!isBranch(tree)) return this.#leafFilter(tree);
    const parts = tree.conditions.map((part) => this.filterOf(part));
    return joined(tree.aggregator === 'And' ? '$and' : '$or', parts);
  }

  #parted(where: ConditionTree): { readonly own: ConditionTree[]; readonly related: ConditionTree[] } {
    const parts = isBranch(where) && where.aggregator === 'And' ? where.conditions : [where];
    const { own = [], related = [] } = Object.groupBy(parts, (part) => (leavesRoot(part) ? 'related' : 'own'));
    return { own, related };
  }

  #keep(filters: readonly MongoDocument[]): void {
    this.add({ $match: joined('$and', filters) });
  }

  #leafFilter(leaf: ConditionLeaf): MongoDocument {
    const steps = leaf.field.split(':');
    const firstMany = this.#firstToMany(steps.slice(0, -1));
    if (firstMany === -1) {
      const { column, path } = this.reach(leaf.field);
      return leafFilter(path, column, leaf, this.#now);
    }
    const owner = this.#reachRelation(steps.slice(0, firstMany));
    const rest = { ...leaf, field: steps.slice(firstMany + 1).join(':') };
    const relation = relationNamed(owner.collection, steps[firstMany] ?? '');
    const foreign = collectionNamed(this.#model, relation.foreignCollection);
    if (relation.kind !== 'ManyToMany') {
      return this.#some(owner, relation.join, foreign, (inner) => inner.match(rest));
    }
    const through = collectionNamed(this.#model, relation.throughCollection);
    return this.#some(owner, relation.originJoin, through, (links) => {
      links.add({
        $match: links.#some(links.#root, relation.foreignJoin, foreign, (inner) => inner.match(rest)),
      });
    });
  }

  /** The filter for documents with at least one related record that `fill` keeps. */
  #some(
    owner: Reached,
    join: JoinPairs,
    foreign: MongoCollection,
    fill: (inner: QueryPipeline) => void,
  ): MongoDocument {
    const inner = new QueryPipeline(this.#model, foreign, this.#now, []);
    fill(inner);
    inner.add({ $limit: 1 }, { $project: { _id: 1 } });
    const as = this.#nextName();
    this.add(this.#lookup(owner, join, foreign, inner.stages, as));
    return { [as]: { $ne: [] } };
  }

  #reachRelation(steps: readonly string[]): Reached {
    let reached = this.#root;
    for (const [index, step] of steps.entries()) {
      const key = JSON.stringify(steps.slice(0, index + 1));
      const known = this.#joined.get(key) ?? this.#joinOne(reached, step);
      this.#joined.set(key, known);
      reached = known;
    }
    return reached;
  }

  #joinOne(owner: Reached, name: string): Reached {
    const relation = relationNamed(owner.collection, name);
    if (relation.kind === 'OneToMany' || relation.kind === 'ManyToMany') throw unplanned(name);
    const foreign = collectionNamed(this.#model, relation.foreignCollection);
    const as = this.#nextName();
    this.add(this.#lookup(owner, relation.join, foreign, [], as), { $set: { [as]: { $arrayElemAt: [`$${as}`, 0] } } });
    return { collection: foreign, prefix: `${as}.` };
  }

  /** A join that no null belongs to. */
  #lookup(owner: Reached, join: JoinPairs, foreign: MongoCollection, inner: MongoPipeline, as: string): MongoDocument {
    const { source } = foreign;
    const pairs = join.map(({ local, foreign: name }) => ({
      local: `${owner.prefix}${pathOfColumn(owner.collection, local)}`,
      foreign: pathOfColumn(foreign, name),
    }));
    const [first] = pairs;
    const isByKey = pairs.length === 1 && first?.foreign === '_id';
    if (isByKey && inner.length === 0 && source.prefix.length === 0) {
      return { $lookup: { from: source.collection, localField: first.local, foreignField: first.foreign, as } };
    }
    const keys = Object.fromEntries(pairs.map(({ local }, index) => [`key${index}`, { $ifNull: [`$${local}`, null] }]));
    const isPartner = pairs.flatMap((pair, index) => [
      { [pair.foreign]: { $ne: null } },
      { $expr: { $eq: [`$${pair.foreign}`, `$$key${index}`] } },
    ]);
    // The elements of one document, and not those of all.
    const parent = pairs.findIndex((pair) => source.element && pair.foreign === 'parentId');
    const narrowed = parent === -1 ? [] : [{ $match: { $expr: { $eq: ['$_id', `$$key${parent}`] } } }];
    const pipeline = [...narrowed, ...source.prefix, { $match: { $and: isPartner } }, ...inner];
    return { $lookup: { from: source.collection, let: keys, pipeline, as } };
  }

  #firstToMany(steps: readonly string[]): number {
    let owner = this.#root.collection;
    return steps.findIndex((step) => {
      const relation = relationNamed(owner, step);
      owner = collectionNamed(this.#model, relation.foreignCollection);
      return relation.kind === 'OneToMany' || relation.kind === 'ManyToMany';
    });
  }

  #nextName(): string {
    this.#lookups += 1;
    return `@${this.#lookups}`;
  }
}

/** The present, in the time zone of the caller. */
export function nowIn({ timezone }: QueryContext): DateTime {
  return DateTime.now().setZone(timezone);
}

function leavesRoot(tree: ConditionTree): boolean {
  return isBranch(tree) ? tree.conditions.some(leavesRoot) : tree.field.includes(':');
}

/** MongoDB takes no empty list of conditions. */
function joined(operator: '$and' | '$or', filters: readonly MongoDocument[]): MongoDocument {
  const [first] = filters;
  if (!first) return operator === '$and' ? {} : nothing;
  return filters.length === 1 ? first : { [operator]: filters };
}
