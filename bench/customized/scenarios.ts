import type { ConditionTree } from '../../src/runtime/query/condition-tree.ts';
import type { CustomizedShop } from './customized-shop.ts';

type Row = Readonly<Record<string, unknown>>;

/** One question, as the agent is asked and as somebody would write it by hand. `round` varies the values. */
interface Scenario {
  readonly name: string;
  ask(shop: CustomizedShop, round: number): Promise<unknown>;
  readonly sql: string;
  values(round: number): readonly (number | string)[];
  /** What is made of the rows by hand; the answers have to be equal. */
  shape(rows: readonly Row[], round: number): unknown;
  /** For how many values the answers are compared; default 50. */
  readonly checks?: number;
}

const is = (field: string, value: unknown): ConditionTree => ({ field, operator: 'Equal', value });
const page = (round: number) => round % 100;
const newest = 'order by o.id desc limit 15';
const joined = 'orders o left join customers c on c.id = o.customer_id';
const countries = ['FR', 'DE', 'JP', 'US'];
const statuses = ['draft', 'paid', 'sent', 'done', 'void'];
const nth = (list: readonly string[], round: number) => list[round % list.length] ?? '';
const none = () => [];

/** Rows of one text and a count, as groups: the largest first, then by name. */
const groups =
  (field: string, read: (value: unknown) => unknown = (value) => value) =>
  (rows: readonly Row[]) =>
    rows.map((row) => ({ value: Number(row['n']), group: { [field]: read(row['g']) } }));
const count = (field: string) => ({ operation: 'Count', groups: [{ field }] }) as const;
const grouped = (expression: string, from: string) =>
  `select ${expression} as g, count(*) as n from ${from} group by 1 order by 2 desc, 1`;

function decimal(stored: unknown): string {
  return typeof stored === 'number' ? stored.toFixed(2) : String(stored);
}

export function scenarios(engine: 'sqlite' | 'postgres'): readonly Scenario[] {
  const isSqlite = engine === 'sqlite';
  const city = isSqlite ? "o.payload ->> '$.city'" : "o.payload ->> 'city'";
  const lat = isSqlite ? "o.payload ->> '$.geo.lat'" : "(o.payload #>> '{geo,lat}')::double precision";
  const month = isSqlite
    ? "cast(strftime('%m', o.placed_at) as integer)"
    : "extract(month from o.placed_at at time zone 'UTC')";
  return [...computed(), ...imported(), ...declared(), ...expressions(month), ...flattened(city, lat)];
}

function computed(): Scenario[] {
  const label = (row: Row) => `${row['status']} ${decimal(row['total'])}`;
  return [
    {
      name: 'listComputed',
      ask: (shop, round) => shop.list(['id', 'label'], undefined, page(round)),
      sql: 'select id, status, total from orders order by id desc limit 15 offset $1',
      values: (round) => [page(round)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']), label: label(row) })),
    },
    {
      name: 'filterComputed',
      ask: (shop, round) =>
        shop.list(['id', 'label'], {
          aggregator: 'And',
          conditions: [is('customer_id', 1 + round), { field: 'label', operator: 'StartsWith', value: 'paid' }],
        }),
      sql: 'select id, status, total from orders where customer_id = $1 order by id desc',
      values: (round) => [1 + round],
      shape: (rows) =>
        rows
          .map((row) => ({ id: Number(row['id']), label: label(row) }))
          .filter((row) => row.label.startsWith('paid'))
          .slice(0, 15),
    },
    {
      name: 'groupComputed',
      ask: (shop) => shop.aggregate(count('initial')),
      sql: 'select status as g, count(*) as n from orders group by 1',
      values: none,
      shape: (rows) => {
        const byInitial = Map.groupBy(rows, (row) => String(row['g']).slice(0, 1));
        return [...byInitial]
          .map(([initial, found]) => ({
            value: found.reduce((sum, row) => sum + Number(row['n']), 0),
            group: { initial },
          }))
          .sort((a, b) => b.value - a.value || (a.group.initial < b.group.initial ? -1 : 1));
      },
      checks: 5,
    },
  ];
}

function imported(): Scenario[] {
  const shape = (rows: readonly Row[]) => rows.map((row) => ({ id: Number(row['id']), customerEmail: row['email'] }));
  return [
    {
      name: 'listImported',
      ask: (shop, round) => shop.list(['id', 'customerEmail'], undefined, page(round)),
      sql: `select o.id, c.email from ${joined} ${newest} offset $1`,
      values: (round) => [page(round)],
      shape,
    },
    {
      name: 'filterImported',
      ask: (shop, round) => shop.list(['id', 'customerEmail'], is('customerCountry', nth(countries, round))),
      sql: `select o.id, c.email from ${joined} where c.country = $1 ${newest}`,
      values: (round) => [nth(countries, round)],
      shape,
    },
    {
      name: 'groupImported',
      ask: (shop) => shop.aggregate(count('customerCountry')),
      sql: grouped('c.country', joined),
      values: none,
      shape: groups('customerCountry'),
      checks: 5,
    },
  ];
}

function declared(): Scenario[] {
  const shape = (rows: readonly Row[]) =>
    rows.map((row) => ({ id: Number(row['id']), buyer: { email: row['email'], id: Number(row['customer']) } }));
  const selected = 'select o.id, c.email, c.id as customer';
  return [
    {
      name: 'listDeclared',
      ask: (shop, round) => shop.list(['id', 'buyer:email'], undefined, page(round)),
      sql: `${selected} from ${joined} ${newest} offset $1`,
      values: (round) => [page(round)],
      shape,
    },
    {
      name: 'filterDeclared',
      ask: (shop, round) => shop.list(['id', 'buyer:email'], is('buyer:country', nth(countries, round))),
      sql: `${selected} from ${joined} where c.country = $1 ${newest}`,
      values: (round) => [nth(countries, round)],
      shape,
    },
    {
      name: 'groupDeclared',
      ask: (shop) => shop.aggregate(count('buyer:country')),
      sql: grouped('c.country', joined),
      values: none,
      shape: groups('buyer:country'),
      checks: 5,
    },
  ];
}

function expressions(month: string): Scenario[] {
  const title = "(o.status || '/' || c.country)";
  return [
    {
      name: 'listExpression',
      ask: (shop, round) => shop.list(['id', 'title'], undefined, page(round)),
      sql: `select o.id, ${title} as title from ${joined} ${newest} offset $1`,
      values: (round) => [page(round)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']), title: row['title'] })),
    },
    {
      name: 'listExact',
      ask: (shop, round) => shop.list(['id', 'tripled'], undefined, page(round)),
      sql: `select o.id, o.total * 3 as tripled from orders o ${newest} offset $1`,
      values: (round) => [page(round)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']), tripled: decimal(row['tripled']) })),
    },
    {
      name: 'filterExpression',
      ask: (shop, round) => shop.list(['id'], is('title', `${nth(statuses, round)}/${nth(countries, round)}`)),
      sql: `select o.id from ${joined} where ${title} = $1 ${newest}`,
      values: (round) => [`${nth(statuses, round)}/${nth(countries, round)}`],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']) })),
    },
    {
      name: 'filterExact',
      ask: (shop, round) => shop.list(['id'], { field: 'tripled', operator: 'LessThan', value: 3 + (round % 9) }),
      sql: `select o.id from orders o where o.total * 3 < $1 ${newest}`,
      values: (round) => [3 + (round % 9)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']) })),
    },
    {
      name: 'filterDouble',
      ask: (shop, round) => shop.list(['id'], { field: 'ratio', operator: 'LessThan', value: 7000 - (round % 50) }),
      sql: `select o.id from orders o where o.id / 7.0e0 < $1 ${newest}`,
      values: (round) => [7000 - (round % 50)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']) })),
    },
    {
      name: 'groupExpression',
      ask: (shop) => shop.aggregate(count('title')),
      sql: grouped(title, joined),
      values: none,
      shape: groups('title'),
      checks: 5,
    },
    {
      name: 'groupDatePart',
      ask: (shop) => shop.aggregate(count('month')),
      sql: grouped(month, 'orders o'),
      values: none,
      shape: groups('month', Number),
      checks: 5,
    },
  ];
}

function flattened(city: string, lat: string): Scenario[] {
  return [
    {
      name: 'listJson',
      ask: (shop, round) => shop.list(['id', 'payload@@@city'], undefined, page(round)),
      sql: `select o.id, ${city} as city from orders o ${newest} offset $1`,
      values: (round) => [page(round)],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']), 'payload@@@city': row['city'] })),
    },
    {
      name: 'filterJson',
      ask: (shop, round) =>
        shop.list(['id'], {
          aggregator: 'And',
          conditions: [
            is('payload@@@city', `c${round % 50}`),
            { field: 'payload@@@geo@@@lat', operator: 'LessThan', value: 60 },
          ],
        }),
      sql: `select o.id from orders o where ${city} = $1 and ${lat} < 60 ${newest}`,
      values: (round) => [`c${round % 50}`],
      shape: (rows) => rows.map((row) => ({ id: Number(row['id']) })),
    },
    {
      name: 'groupJson',
      ask: (shop) => shop.aggregate(count('payload@@@city')),
      sql: grouped(city, 'orders o'),
      values: none,
      shape: groups('payload@@@city'),
      checks: 5,
    },
  ];
}
