import type { VisibleCollection } from '../model/schema.ts';
import type { AgentAddress } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import { listRecords, projection, type RelatedRow, type Row } from '../wire/records.ts';

/** What was sent, and whose answer never came. */
export interface SentRecord {
  readonly values: Readonly<Record<string, unknown>>;
  readonly links: Readonly<Record<string, RelatedRow | null>>;
}

/** What somebody else has written meanwhile, by field. */
export type Conflict = Readonly<Record<string, { readonly seen: unknown; readonly now: unknown }>>;

/** Whether a change arrived, as the record tells that was read afterwards: all of it, nothing of it, or something else is there. */
export function outcomeOf(sent: SentRecord, seen: Row, now: Row): 'saved' | 'not saved' | Conflict {
  const fields = Object.keys(sent.values).map((name) => ({
    name,
    sent: own(sent.values, name) ?? null,
    seen: own(seen.values, name) ?? null,
    now: own(now.values, name) ?? null,
  }));
  const relations = Object.keys(sent.links).map((name) => ({
    name,
    sent: own(sent.links, name)?.id ?? null,
    seen: own(seen.related, name)?.id ?? null,
    now: own(now.related, name)?.id ?? null,
  }));
  const all = [...fields, ...relations];
  if (all.every((one) => isSame(one.now, one.sent))) return 'saved';
  if (all.every((one) => isSame(one.now, one.seen))) return 'not saved';
  const others = fields.filter((one) => !isSame(one.now, one.sent) && !isSame(one.now, one.seen));
  return Object.fromEntries(others.map((one) => [one.name, { seen: one.seen, now: one.now }]));
}

const shownCandidates = 5;

/** The records that have the values of a new one: it may be among them. */
export async function candidatesFor(
  agent: AgentAddress,
  { name, fields, primaryKey, title }: VisibleCollection,
  { values }: SentRecord,
): Promise<readonly Row[]> {
  const conditions = fields
    .filter((field) => isComparable(own(values, field.name)) && field.operators.some(isEqual))
    .map((field) => ({ field: field.name, operator: 'equal', value: own(values, field.name) }));
  const { rows } = await listRecords(
    agent,
    [name],
    {
      filters: JSON.stringify({ aggregator: 'and', conditions }),
      sort: primaryKey.map((key) => `-${key}`).join(','),
      'page[size]': String(shownCandidates),
    },
    { headers: projection([...new Set([...primaryKey, title])]) },
  );
  return rows;
}

function isEqual({ operator }: { readonly operator: string }): boolean {
  return operator === 'equal';
}

/** Texts, numbers and truth values are stored as they were sent, or nearly so. */
function isComparable(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
