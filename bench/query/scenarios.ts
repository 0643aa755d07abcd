import type { DataSource } from '../../src/runtime/data-sources/interface/data-source.ts';
import { orderCount } from './tables.ts';

const context = { timezone: 'Europe/Paris' };

/** One query, as the data source is asked and as somebody would write it by hand. `round` varies the values. */
export interface Scenario {
  readonly name: string;
  ask(source: DataSource, round: number): Promise<unknown>;
  readonly sql: string;
  values(round: number): readonly (number | string)[];
  /** What is made of the rows by hand; the answers have to be equal. */
  shape(rows: readonly Record<string, unknown>[]): unknown;
}

const newest = [{ field: 'id', ascending: false }];
const order = (row: Record<string, unknown>) => ({
  id: Number(row['id']),
  status: row['status'],
  total: decimal(row['total']),
});

export const scenarios: readonly Scenario[] = [
  {
    name: 'list15',
    ask: (source, round) =>
      source.list(
        {
          collection: 'orders',
          projection: ['id', 'status', 'total'],
          sort: newest,
          page: { skip: round % 100, limit: 15 },
        },
        context,
      ),
    sql: 'select id, status, total from orders order by id desc limit $1 offset $2',
    values: (round) => [15, round % 100],
    shape: (rows) => rows.map(order),
  },
  {
    name: 'list100',
    ask: (source, round) =>
      source.list(
        {
          collection: 'orders',
          projection: ['id', 'status', 'total'],
          sort: newest,
          page: { skip: round % 100, limit: 100 },
        },
        context,
      ),
    sql: 'select id, status, total from orders order by id desc limit $1 offset $2',
    values: (round) => [100, round % 100],
    shape: (rows) => rows.map(order),
  },
  {
    name: 'listRelation',
    ask: (source, round) =>
      source.list(
        {
          collection: 'orders',
          projection: ['id', 'status', 'total', 'customer:email'],
          sort: newest,
          page: { skip: round % 100, limit: 15 },
        },
        context,
      ),
    sql: 'select o.id, o.status, o.total, c.email from orders o left join customers c on c.id = o.customer_id order by o.id desc limit $1 offset $2',
    values: (round) => [15, round % 100],
    shape: (rows) => rows.map((row) => ({ ...order(row), customer: { email: row['email'] } })),
  },
  {
    name: 'listFilter',
    ask: (source, round) =>
      source.list(
        {
          collection: 'orders',
          projection: ['id', 'status', 'total'],
          where: {
            aggregator: 'And',
            conditions: [
              { field: 'status', operator: 'Equal', value: 'paid' },
              { field: 'total', operator: 'GreaterThan', value: 500 + (round % 50) },
            ],
          },
          sort: newest,
          page: { skip: 0, limit: 15 },
        },
        context,
      ),
    sql: 'select id, status, total from orders where status = $1 and total > $2 order by id desc limit $3',
    values: (round) => ['paid', 500 + (round % 50), 15],
    shape: (rows) => rows.map(order),
  },
  {
    name: 'get',
    ask: (source, round) =>
      source.list(
        {
          collection: 'orders',
          projection: ['id', 'status', 'total'],
          where: { field: 'id', operator: 'Equal', value: 1 + (round % orderCount) },
        },
        context,
      ),
    sql: 'select id, status, total from orders where id = $1',
    values: (round) => [1 + (round % orderCount)],
    shape: (rows) => rows.map(order),
  },
  {
    name: 'count',
    ask: (source) => source.count('customers', undefined, context),
    sql: 'select count(*) as n from customers',
    values: () => [],
    shape: (rows) => Number(rows[0]?.['n']),
  },
];

/** Numbers that lose no digit are texts with the digits of their column. */
function decimal(stored: unknown): string {
  return typeof stored === 'number' ? stored.toFixed(2) : String(stored);
}
