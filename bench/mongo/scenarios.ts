import type { MongoDocument, MongoPipeline } from '../../src/kernel/ports/mongo-database.ts';
import type { DataSource } from '../../src/runtime/data-sources/interface/data-source.ts';

const context = { timezone: 'Europe/Paris' };

/** One query, as the data source is asked and as a pipeline that somebody writes by hand. `round` varies the values. */
export interface MongoScenario {
  readonly name: string;
  ask(source: DataSource, round: number): Promise<unknown>;
  pipeline(round: number): MongoPipeline;
  /** What is made of the documents by hand; the answers have to be equal. */
  shape(documents: readonly MongoDocument[]): unknown;
}

const collection = 'orders';
const newest = [{ field: '_id', ascending: false }];
const asTheyAre = (documents: readonly MongoDocument[]) => documents;

export const scenarios: readonly MongoScenario[] = [
  {
    name: 'list',
    ask: (source, round) =>
      source.list(
        { collection, projection: ['_id', 'status', 'total'], sort: newest, page: { skip: round % 100, limit: 15 } },
        context,
      ),
    pipeline: (round) => [
      { $sort: { _id: -1 } },
      { $skip: round % 100 },
      { $limit: 15 },
      { $project: { status: 1, total: 1 } },
    ],
    shape: asTheyAre,
  },
  {
    name: 'filter',
    ask: (source, round) =>
      source.list(
        {
          collection,
          projection: ['_id', 'status', 'address@@@city'],
          where: {
            aggregator: 'And',
            conditions: [
              { field: 'status', operator: 'Equal', value: 'paid' },
              { field: 'address@@@city', operator: 'Equal', value: `c${1 + 4 * (round % 12)}` },
            ],
          },
          sort: newest,
          page: { skip: 0, limit: 15 },
        },
        context,
      ),
    pipeline: (round) => [
      { $match: { status: 'paid', 'address.city': `c${1 + 4 * (round % 12)}` } },
      { $sort: { _id: -1 } },
      { $limit: 15 },
      { $project: { status: 1, 'address@@@city': '$address.city' } },
    ],
    shape: asTheyAre,
  },
  {
    name: 'group',
    ask: async (source, round) => {
      const rows = await source.aggregate(
        {
          collection,
          where: { field: 'total', operator: 'GreaterThan', value: round % 500 },
          aggregation: { operation: 'Sum', field: 'total', groups: [{ field: 'status' }] },
        },
        context,
      );
      return sums(rows.map(({ group, value }) => [group['status'], value]));
    },
    pipeline: (round) => [
      { $match: { total: { $gt: round % 500 } } },
      { $group: { _id: '$status', sum: { $sum: '$total' } } },
    ],
    shape: (documents) => sums(documents.map((document) => [document['_id'], document['sum']])),
  },
  {
    name: 'relation',
    ask: (source, round) =>
      source.list(
        {
          collection,
          projection: ['_id', 'status', 'customer:email'],
          sort: newest,
          page: { skip: round % 100, limit: 15 },
        },
        context,
      ),
    pipeline: (round) => [
      { $sort: { _id: -1 } },
      { $skip: round % 100 },
      { $limit: 15 },
      { $lookup: { from: 'customers', localField: 'customer_id', foreignField: '_id', as: 'customer' } },
      { $project: { status: 1, email: { $first: '$customer.email' } } },
    ],
    shape: (documents) => documents.map(({ email, ...order }) => ({ ...order, customer: { email } })),
  },
];

/** Groups come in any order. */
function sums(pairs: readonly (readonly [unknown, unknown])[]): unknown {
  return Object.fromEntries(pairs.map(([status, sum]) => [String(status), Number(sum)]));
}
