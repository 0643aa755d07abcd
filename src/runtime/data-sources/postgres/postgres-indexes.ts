import { sql } from 'kysely';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import type { IndexDialect, SqlTransaction } from '../sql/sql-dialect.ts';

/** A name of a table in a text, for `regclass`. */
export function quotedTable(collection: CollectionSchema): string {
  const { schema, name } = collection.table ?? { name: collection.name };
  const parts = schema === undefined ? [name] : [schema, name];
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
}

/** Statements of a session need names. */
let prepared = 0;

/**
 * The plan of a statement for any values, and its cost with an index that exists in the planner of this session only: the extension
 * hypopg does that. Nothing is built.
 */
const planWithIndex: NonNullable<IndexDialect['plan']> = async (transaction, statement, create) => {
  await transaction.run('set local plan_cache_mode = force_generic_plan', []);
  const plan = await genericPlan(transaction, statement);
  const [extension] = await transaction.all(
    `select pg_catalog.quote_ident(n.nspname) as schema
      from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'hypopg'`,
    [],
  );
  if (!extension) {
    return {
      plan,
      note: 'There is no estimate: the database has no extension hypopg. "create extension hypopg" adds it.',
    };
  }
  const schema = String(extension['schema']);
  const text = create.replaceAll("'", "''");
  const [index] = await transaction.all(
    `select indexrelid::text as id from ${schema}.hypopg_create_index('${text}')`,
    [],
  );
  const planned = await genericPlan(transaction, statement);
  await transaction.all(`select ${schema}.hypopg_drop_index(${Number(index?.['id'])})`, []);
  return { plan, estimate: { costNow: costOf(plan), costThen: costOf(planned) } };
};

export const postgresIndexes: IndexDialect = {
  create: 'create index concurrently',
  // The collation of the database itself may be that of bytes.
  listed: (collection) => sql`
    select x.relname as name, a.attname as "column",
      case when c.collname in ('C', 'POSIX') or c.collname = 'default' and d.datcollate in ('C', 'POSIX') then 1 else 0 end
        as "isByBytes"
    from pg_catalog.pg_index i
    join pg_catalog.pg_class x on x.oid = i.indexrelid
    cross join unnest(i.indkey::int2[], i.indcollation::oid[]) with ordinality k(attnum, sorted, position)
    left join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    left join pg_catalog.pg_collation c on c.oid = k.sorted
    left join pg_catalog.pg_database d on d.datname = current_database()
    where i.indrelid = ${sql.lit(quotedTable(collection))}::regclass and i.indisvalid and i.indpred is null
      and k.position <= i.indnkeyatts
    order by x.relname, k.position`,
  plan: planWithIndex,
};

async function genericPlan(transaction: SqlTransaction, statement: string): Promise<readonly string[]> {
  prepared++;
  const name = `insights_${prepared}`;
  const parameters = new Set(statement.match(/\$\d+/g)).size;
  const values = parameters === 0 ? '' : `(${Array(parameters).fill('null').join(', ')})`;
  await transaction.run(`prepare ${name} as ${statement}`, []);
  const rows = await transaction.all(`explain execute ${name}${values}`, []);
  await transaction.run(`deallocate ${name}`, []);
  return rows.map((row) => String(row['QUERY PLAN']));
}

function costOf([first = '']: readonly string[]): number {
  return Number(/cost=[\d.]+\.\.([\d.]+)/.exec(first)?.[1]);
}
