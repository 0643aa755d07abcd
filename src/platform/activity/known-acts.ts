import { sql } from 'kysely';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

interface KnownAct {
  readonly sequence: number;
  readonly collection: string | null;
  /** Whether a row may still tell how it ended. */
  isOpen: boolean;
}

export interface KnownActs {
  readonly acts: Map<string, KnownAct>;
  /** `id part` of the rows that hold more records. */
  readonly parts: Set<string>;
}

const columns = ['id', 'kind', 'part', 'sequence', 'status', 'collection'] as const;
type KnownRow = Pick<Tables['auditRows'], (typeof columns)[number]>;

/** What is stored of the acts with these ids. */
export async function findKnownActs(
  { db }: StoreTransaction,
  engine: Store['engine'],
  chainId: number,
  ids: readonly string[],
): Promise<KnownActs> {
  const rows = engine === 'postgres' ? await rowsOnPostgres(db, chainId, ids) : await rowsOnSqlite(db, chainId, ids);
  const ended = new Set(rows.filter(({ kind }) => kind === 'status').map(({ id }) => id));
  const acts = rows.filter(({ kind }) => kind === 'act');
  return {
    acts: new Map(
      acts.map(({ id, sequence, status, collection }) => [
        id,
        { sequence, collection, isOpen: status === 'pending' && !ended.has(id) },
      ]),
    ),
    parts: new Set(rows.filter(({ kind }) => kind === 'records').map(({ id, part }) => `${id} ${part}`)),
  };
}

function rowsOnSqlite(db: Store['db'], chainId: number, ids: readonly string[]): Promise<readonly KnownRow[]> {
  return db.selectFrom('auditRows').select(columns).where('chainId', '=', chainId).where('id', 'in', ids).execute();
}

/**
 * PostgreSQL plans this statement once, perhaps when a month has just begun and its rows fit on one page. It would then read
 * all rows of the month for each report until it counts them again. `offset 0` makes it look up one id after the other, and
 * without sequential scans the index of ids is all that is left for that.
 */
async function rowsOnPostgres(db: Store['db'], chainId: number, ids: readonly string[]): Promise<readonly KnownRow[]> {
  await sql`select set_config('enable_seqscan', 'off', true)`.execute(db);
  return db
    .selectFrom(sql<{ id: string }>`json_array_elements_text(${JSON.stringify(ids)}::json)`.as<'asked'>(sql`asked(id)`))
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('auditRows')
          .select(columns)
          .where('chainId', '=', chainId)
          .whereRef('auditRows.id', '=', 'asked.id')
          .offset(0)
          .as('known'),
      (join) => join.onTrue(),
    )
    .selectAll('known')
    .execute();
}
