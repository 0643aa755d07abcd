import type { Disclosures } from '#contracts/audit/disclosures';
import {
  type ActivityEntry,
  type AdminEntry,
  type AuditEntry,
  addedRecords,
  type RowPlace,
} from '#contracts/audit/rows';
import { canonicalJson } from '#kernel/json/canonical-json';
import { ocsfClassOf } from '../log-api/ocsf.ts';
import type { Cell, Column } from './parquet-table.ts';

/** What the tables of an archive have. Where the Open Cybersecurity Schema Framework has a name for something, it is that one. */

const text = { type: 'STRING' } as const;
const number = { type: 'INT64' } as const;
const isOptional = true;
const isUnique = true;

export const rowColumns: readonly Column[] = [
  { name: 'chain_uid', ...text },
  { name: 'sequence', ...number, isUnique },
  { name: 'time', ...number, isUnique },
  { name: 'object', ...text },
  { name: 'metadata_uid', ...text, isUnique },
  { name: 'metadata_logged_time', ...number, isUnique },
  { name: 'category_uid', type: 'INT32', isOptional },
  { name: 'class_uid', type: 'INT32', isOptional },
  { name: 'activity_id', type: 'INT32', isOptional },
  { name: 'type_uid', ...number, isOptional },
  { name: 'status_id', type: 'INT32', isOptional },
  { name: 'status', ...text, isOptional },
  { name: 'type', ...text, isOptional },
  { name: 'api_operation', ...text, isOptional },
  { name: 'entity_type', ...text, isOptional },
  { name: 'table_name', ...text, isOptional },
  { name: 'team_name', ...text, isOptional },
  { name: 'actor_app_uid', ...text, isOptional },
  { name: 'actor_app_name', ...text, isOptional },
  { name: 'tool', ...text, isOptional },
  { name: 'code_version', ...number, isOptional },
  { name: 'metadata_correlation_uid', ...text, isOptional, isUnique },
  { name: 'record_count', ...number, isOptional },
  { name: 'act_sequence', ...number, isOptional },
  { name: 'hash', ...text, isUnique },
  { name: 'body', ...text, isUnique },
];

export const recordColumns: readonly Column[] = [
  { name: 'chain_uid', ...text },
  { name: 'record_uid', ...text, hasBloomFilter: true },
  { name: 'table_name', ...text, isOptional },
  { name: 'sequence', ...number },
  { name: 'act_sequence', ...number },
];

export const valueColumns: readonly Column[] = [
  { name: 'chain_uid', ...text },
  { name: 'sequence', ...number },
  { name: 'place', ...text },
  { name: 'salt', ...text, isUnique },
  { name: 'value', ...text },
  { name: 'user_uid', ...text, isOptional },
  { name: 'user_name', ...text, isOptional },
  { name: 'user_email_addr', ...text, isOptional },
];

type Row = AuditEntry & RowPlace;

export function rowCells(row: Row, hash: string, body: string): readonly Cell[] {
  const { object, id, chain, sequence, createdAt, recordedAt } = row;
  const act = object === 'activityLog' ? row : undefined;
  const change = object === 'adminLog' ? row : undefined;
  const kind = act || change ? ocsfClassOf((act ?? change) as ActivityEntry | AdminEntry) : undefined;
  const status = act?.status ?? (object === 'activityLogOutcome' ? row.status : change && 'completed');
  const later = object === 'activityLogRecords' || object === 'activityLogOutcome' ? row : undefined;
  const time = Date.parse(createdAt);
  // A list a row, and no other on the way: there are millions of rows.
  return [
    chain,
    sequence,
    time,
    object,
    id,
    recordedAt === createdAt ? time : Date.parse(recordedAt),
    kind?.category_uid ?? null,
    kind?.class_uid ?? null,
    kind?.activity_id ?? null,
    kind ? kind.class_uid * 100 + kind.activity_id : null,
    status ? statusIds[status] : null,
    status ?? null,
    act?.type ?? change?.type ?? null,
    act?.action ?? null,
    change?.resource ?? null,
    act?.collection?.name ?? null,
    act?.team.name ?? null,
    act?.client?.id ?? act?.tokenId ?? null,
    act?.client?.name ?? null,
    act?.tool ?? null,
    act?.codeVersion ?? null,
    act?.correlationId ?? null,
    act?.recordCount ?? null,
    later?.actSequence ?? null,
    hash,
    body,
  ];
}

const statusIds = { completed: 1, failed: 2, pending: 99 } as const;

/** Which records a row is about. */
export function recordCells(row: Row): readonly (readonly Cell[])[] {
  const { chain, sequence, object } = row;
  if (object !== 'activityLog' && object !== 'activityLogRecords') return [];
  const recordIds = object === 'activityLog' ? row.recordIds : addedRecords(row);
  const act = object === 'activityLog' ? sequence : row.actSequence;
  return recordIds.map((id) => [chain, id, row.collection?.name ?? null, sequence, act]);
}

/** By record, so that a search finds a record in few row groups of the many that were sorted together. */
export function byRecord(one: readonly Cell[], other: readonly Cell[]): number {
  return compare(one[1], other[1]) || compare(one[3], other[3]);
}

function compare(one: Cell | undefined, other: Cell | undefined): number {
  if (one === other) return 0;
  return (one ?? '') < (other ?? '') ? -1 : 1;
}

/** Nearly all rows disclose only who did it: the text of the value stands there as it is. */
const userAlone = /^\{"user":\["([\w-]{22})",(\{[^[\]]*\})\]\}$/;

/** The values of a row, one after the other. */
export function valueCells(row: Place, disclosed: string | null): readonly (readonly Cell[])[] {
  if (disclosed === null) return [];
  const [, salt, json] = userAlone.exec(disclosed) ?? [];
  if (salt !== undefined && json !== undefined) return [valueCell(row, 'user', salt, json)];
  const values = Object.entries(JSON.parse(disclosed) as Disclosures);
  return values.map(([place, [own, value]]) => valueCell(row, place, own, canonicalJson(value)));
}

type Place = Pick<Row, 'chain' | 'sequence'>;

/** @param value Canonical JSON. */
export function valueCell({ chain, sequence }: Place, place: string, salt: string, value: string): readonly Cell[] {
  const { json, id, name, email } = disclosedUser(value);
  return [chain, sequence, place, salt, json, id, name, email];
}

interface DisclosedUser {
  /** The value itself. */
  readonly json: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly email: string | null;
}

/** The people of the last rows: some do most of what a log has. */
const known = new Map<string, DisclosedUser>();
const mostKnown = 1_000;

function disclosedUser(json: string): DisclosedUser {
  const before = known.get(json);
  if (before) return before;
  const { id, username = null, email = null } = userIn(json);
  const user = { json, id: id === undefined ? null : String(id), name: username, email };
  if (known.size >= mostKnown) known.clear();
  known.set(json, user);
  return user;
}

interface User {
  readonly id?: number;
  readonly username?: string;
  readonly email?: string;
}

function userIn(json: string): User {
  if (!json.includes('"object":"user"')) return {};
  try {
    return JSON.parse(json) as User;
  } catch {
    // The commitment tells it.
    return {};
  }
}
