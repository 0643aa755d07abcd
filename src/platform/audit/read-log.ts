import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RowParts } from '#contracts/audit/disclosures';
import type { ActivityEntry } from '#contracts/audit/rows';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import { type ColumnFilter, type LogFilter, splitFilter, type TimeRange } from './log-filter.ts';
import { type ShownEntry, shownRow } from './shown-row.ts';

export interface LogPage {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Go on behind this row, in the order of the page. */
  readonly after?: number | undefined;
  /** How many rows may be looked at. Without it, the page is full unless the log ends. */
  readonly maxWalked?: number | undefined;
}

/** A row of the log, with the outcome that a later row may have told. */
export interface LogRow {
  readonly entry: ShownEntry;
  readonly status: ActivityEntry['status'] | null;
  readonly hash: string;
}

export interface LogRows {
  readonly rows: readonly LogRow[];
  readonly hasMore: boolean;
  /** The row behind which the next page begins. */
  readonly last: number | undefined;
}

interface Found extends RowParts {
  readonly sequence: number;
  readonly hash: string;
  readonly status: ActivityEntry['status'] | null;
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

type Db = Store['db'];

/** Few rows are looked at first, because most filters find enough among them. */
const firstWalk = 500;
const longestWalk = 5_000;
/** A record is looked up by its acts, this many at a time. */
const actsOfRecord = 500;

/** The acts or changes of a chain that fulfil a filter. The time does not depend on how deep the page lies. */
export async function readLog(db: Db, chain: ChainRecord, asked: LogFilter, page: LogPage): Promise<LogRows> {
  const { limit, order, after, maxWalked = Number.POSITIVE_INFINITY } = page;
  const wanted = limit + 1;
  const found: Found[] = [];
  const filter = await withColumnOfClient(db, chain, asked);
  if (!filter) return { rows: [], hasMore: false, last: undefined };
  let bounds: Bounds | undefined = behind(await boundsOf(db, chain, filter.createdAt), order, after);
  let walked = 0;
  let last: number | undefined;
  let size = firstWalk;
  while (bounds && found.length < wanted && walked < maxWalked) {
    const step = await readStep(db, chain, filter, { bounds, order, wanted: wanted - found.length, size });
    found.push(...step.rows);
    walked += size;
    size = Math.min(longestWalk, size * 4);
    last = step.reached;
    bounds = step.reached === undefined ? undefined : behind(bounds, order, step.reached);
    // On SQLite a step is work of this thread, and others wait for it.
    await setImmediate();
  }
  const rows = found.slice(0, limit);
  const isFull = found.length > limit;
  return {
    rows: await withOutcomes(db, chain, rows),
    hasMore: isFull || bounds !== undefined,
    last: isFull ? rows.at(-1)?.sequence : (last ?? rows.at(-1)?.sequence),
  };
}

/**
 * One index finds a program by its id, another one by its name. `undefined` where neither does. Where both do, because somebody gave
 * a program the id of another one as its name, each row is looked at.
 */
async function withColumnOfClient(db: Db, chain: ChainRecord, filter: LogFilter): Promise<ColumnFilter | undefined> {
  const { client, ...others } = filter;
  if (client === undefined) return filter;
  const rows = db.selectFrom('auditRows').select('sequence').where('chainId', '=', chain.id).limit(1);
  const byId = await rows.where('clientId', '=', client).executeTakeFirst();
  const byName = await rows.where('clientName', '=', client).executeTakeFirst();
  if (byId && byName) return filter;
  if (byId) return { ...others, clientId: client };
  return byName && { ...others, clientName: client };
}

interface Step {
  readonly rows: readonly Found[];
  /** Everything up to this row was looked at; `undefined` where nothing is left. */
  readonly reached: number | undefined;
}

interface StepInput {
  readonly bounds: Bounds;
  readonly order: LogPage['order'];
  readonly wanted: number;
  readonly size: number;
}

async function readStep(db: Db, chain: ChainRecord, filter: ColumnFilter, input: StepInput): Promise<Step> {
  const { bounds, order, wanted, size } = input;
  if (filter.recordId !== undefined) return readActsOfRecord(db, chain, filter, input);
  const { found, checked } = splitFilter(filter);
  const read = (within: Bounds) =>
    logged(db, chain, within, filter).where(found).select(columns).orderBy('sequence', order).limit(wanted);
  if (!checked) return { rows: await read(bounds).execute(), reached: undefined };
  const edge = await rowsOf(db, chain, bounds)
    .where(found)
    .select('sequence')
    .orderBy('sequence', order)
    .offset(size - 1)
    .limit(1)
    .executeTakeFirst();
  const matching = await read(edge ? upTo(bounds, order, edge.sequence) : bounds)
    .where(checked)
    .execute();
  return { rows: matching, reached: matching.length === wanted ? undefined : edge?.sequence };
}

async function readActsOfRecord(
  db: Db,
  chain: ChainRecord,
  filter: ColumnFilter,
  { bounds, order, wanted }: StepInput,
): Promise<Step> {
  const { recordId = '', collection } = filter;
  let records = db
    .selectFrom('auditRecords')
    .select('sequence')
    .where('chainId', '=', chain.id)
    .where('recordId', '=', recordId)
    .where('sequence', '>=', bounds.from)
    .where('sequence', '<=', bounds.to);
  if (collection !== undefined) records = records.where('collection', '=', collection);
  const acts = await records.orderBy('sequence', order).limit(actsOfRecord).execute();
  const sequences = acts.map(({ sequence }) => sequence);
  if (sequences.length === 0) return { rows: [], reached: undefined };
  const { checked } = splitFilter(filter, true);
  const rows = logged(db, chain, bounds, filter).where('sequence', 'in', sequences);
  const matching = await (checked ? rows.where(checked) : rows)
    .select(columns)
    .orderBy('sequence', order)
    .limit(wanted)
    .execute();
  const isAll = acts.length < actsOfRecord || matching.length === wanted;
  return { rows: matching, reached: isAll ? undefined : sequences.at(-1) };
}

const columns = ['sequence', 'body', 'disclosed', 'hash', 'status'] as const;

function rowsOf(db: Db, chain: ChainRecord, { from, to }: Bounds) {
  return db
    .selectFrom('auditRows')
    .where('chainId', '=', chain.id)
    .where('sequence', '>=', from)
    .where('sequence', '<=', to);
}

/** Acts and changes; not what other rows add to them. */
function logged(db: Db, chain: ChainRecord, bounds: Bounds, { isCoreOnly = false }: LogFilter) {
  return rowsOf(db, chain, bounds).where('kind', 'in', ['act', 'admin', ...(isCoreOnly ? [] : (['further'] as const))]);
}

/** The rows of a time. Later rows have later times, so that they are neighbours. */
async function boundsOf(db: Db, chain: ChainRecord, range: TimeRange = {}): Promise<Bounds | undefined> {
  const { eq, lt, lte, gt, gte } = range;
  // Rows before the first one may still be there, and are not part of the log. Written so that no engine walks another index for it.
  const times = db
    .selectFrom('auditRows')
    .select('sequence')
    .where('chainId', '=', chain.id)
    .where(sql<number>`${sql.ref('sequence')} + 0`, '>=', chain.firstSequence);
  const first = async (operator: '>=' | '>', time: number | undefined) =>
    time === undefined
      ? chain.firstSequence
      : (await times.where('createdAt', operator, time).orderBy('createdAt').limit(1).executeTakeFirst())?.sequence;
  const final = async (operator: '<=' | '<', time: number | undefined) =>
    time === undefined
      ? chain.headSequence
      : (await times.where('createdAt', operator, time).orderBy('createdAt', 'desc').limit(1).executeTakeFirst())
          ?.sequence;
  const starts = [await first('>=', gte), await first('>', gt), await first('>=', eq)];
  const ends = [await final('<=', lte), await final('<', lt), await final('<=', eq)];
  if (starts.includes(undefined) || ends.includes(undefined)) return undefined;
  return notEmpty({ from: Math.max(...(starts as number[])), to: Math.min(...(ends as number[])) });
}

function behind(bounds: Bounds | undefined, order: LogPage['order'], after: number | undefined): Bounds | undefined {
  if (!bounds || after === undefined) return bounds;
  const { from, to } = bounds;
  return notEmpty(order === 'desc' ? { from, to: Math.min(to, after - 1) } : { from: Math.max(from, after + 1), to });
}

function upTo({ from, to }: Bounds, order: LogPage['order'], sequence: number): Bounds {
  return order === 'desc' ? { from: sequence, to } : { from, to: sequence };
}

function notEmpty(bounds: Bounds): Bounds | undefined {
  return bounds.from <= bounds.to ? bounds : undefined;
}

/** With what later rows told of acts that were pending at first. */
export async function withOutcomes(db: Db, chain: ChainRecord, rows: readonly Found[]): Promise<readonly LogRow[]> {
  const pending = rows.filter(({ status }) => status === 'pending').map(({ sequence }) => sequence);
  const outcomes =
    pending.length === 0
      ? []
      : await db
          .selectFrom('auditOutcomes')
          .select(['sequence', 'status'])
          .where('chainId', '=', chain.id)
          .where('sequence', 'in', pending)
          .execute();
  const known = new Map(outcomes.map(({ sequence, status }) => [sequence, status]));
  return rows.map(({ sequence, status, hash, ...parts }) => ({
    entry: shownRow(parts),
    status: known.get(sequence) ?? status,
    hash,
  }));
}
