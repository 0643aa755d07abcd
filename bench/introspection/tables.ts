/** Statements for `count` tables of 12 mixed columns with two foreign keys each, on PostgreSQL. */
export function tableStatements(count: number): string[] {
  const statements = ["create type state as enum ('open', 'paid', 'sent', 'void')"];
  for (let table = 0; table < count; table++) {
    // Each refers to the two before it; the first ones to themselves.
    const parents = [Math.max(0, table - 1), Math.max(0, table - 2)].map((parent) => `t${parent}`);
    statements.push(`create table t${table} (
      id serial primary key,
      first_id int references ${parents[0]}(id),
      second_id int references ${parents[1]}(id),
      name text not null,
      code varchar(20) unique,
      state state not null default 'open',
      amount numeric(12,2) not null default 0,
      is_active boolean not null default true,
      details jsonb,
      tags text[],
      day date,
      created_at timestamptz not null default now())`);
  }
  return statements;
}
