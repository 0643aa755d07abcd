/** Two tables, the same in every engine: 20,000 customers and 100,000 orders, all values computed from the row number. */
const customerCount = 20_000;
export const orderCount = 100_000;

interface Engine {
  /** A column of whole numbers from 1 to `count`, called `n`. */
  series(count: number): string;
  readonly types: { readonly decimal: string; readonly instant: string };
  /** An instant this many minutes after the beginning of 2024. */
  minutes(expression: string): string;
}

export const sqlite: Engine = {
  series: (count) =>
    `(with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s)`,
  types: { decimal: 'decimal(12,2)', instant: 'datetime' },
  minutes: (expression) => `strftime('%Y-%m-%dT%H:%M:%fZ', '2024-01-01', '+' || (${expression}) || ' minutes')`,
};

export const postgres: Engine = {
  series: (count) => `generate_series(1, ${count}) as s(n)`,
  types: { decimal: 'numeric(12,2)', instant: 'timestamptz' },
  minutes: (expression) => `timestamptz '2024-01-01 00:00:00Z' + (${expression}) * interval '1 minute'`,
};

/** Statements that make and fill the tables. */
export function tableStatements({ series, types, minutes }: Engine, orders = orderCount): string[] {
  return [
    `create table customers (id integer primary key, email text not null, country text not null, created_at ${types.instant} not null)`,
    `create table orders (id integer primary key, customer_id integer not null references customers(id), status text not null, total ${types.decimal} not null, placed_at ${types.instant} not null)`,
    `insert into customers select n, 'user' || n || '@example.com', case n % 4 when 0 then 'FR' when 1 then 'DE' when 2 then 'JP' else 'US' end, ${minutes('n')} from ${series(customerCount)}`,
    `insert into orders select n, 1 + n % ${customerCount}, case n % 5 when 0 then 'draft' when 1 then 'paid' when 2 then 'sent' when 3 then 'done' else 'void' end, (n % 5000) * 0.25, ${minutes('n * 3')} from ${series(orders)}`,
    'create index orders_customer on orders(customer_id)',
    'analyze',
  ];
}
