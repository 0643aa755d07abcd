import type { ArchivedFile } from '#contracts/audit/archive';
import type { ActivityEntry } from '#contracts/audit/rows';
import { monthBounds } from '#contracts/audit/segment';
import { BrokenLog } from '#contracts/audit/verdict';
import type { ObjectStore } from '#kernel/ports/object-store';
import { comparableEmail } from '../audit/chain-row.ts';
import type { LogFilter, TimeRange } from '../audit/log-filter.ts';
import type { LogRow } from '../audit/read-log.ts';
import { shownRow } from '../audit/shown-row.ts';
import { type ActivityLog, type AdminLog, activityLog, adminLog } from '../log-api/log-documents.ts';
import { recordColumns, rowColumns, valueColumns } from './archive-columns.ts';
import { type Column, openTable, TableReader } from './parquet-table.ts';
import { type ArchivedMonth, archiveAttempts, manifestPaths, readArchive } from './read-archive.ts';

export interface ArchiveSearch {
  /** The only project of the archive by default. */
  readonly project: string | undefined;
  /** `null` for the changes of the configuration; the only environment by default. */
  readonly environment: string | null | undefined;
  readonly filter: LogFilter;
  readonly limit: number;
}

export interface FoundInArchive {
  /** The newest first. */
  readonly rows: readonly LogRow[];
  readonly hasMore: boolean;
  /** How many row groups were read, of those in the files that were looked into. */
  readonly groupsRead: number;
  readonly groups: number;
  /** The logs that were searched: several where the names do not tell them apart. */
  readonly logs: readonly { readonly project: string; readonly environment: string | null }[];
}

/**
 * The acts or changes of an archive that fulfil a filter. What the manifests say is believed: `verifyArchive` proves it. A run that follows an
 * erasure removes files that manifests named a moment before: then the archive is searched again.
 *
 * @throws `BrokenLog` for a file that is missing or cannot be read.
 */
export async function searchArchive(objects: ObjectStore, asked: ArchiveSearch): Promise<FoundInArchive> {
  for (let attempt = 1; ; attempt++) {
    const before = await manifestPaths(objects);
    try {
      return await searchOnce(objects, asked);
    } catch (error) {
      if (!(error instanceof BrokenLog) || attempt === archiveAttempts) throw error;
      if (before === (await manifestPaths(objects))) throw error;
    }
  }
}

async function searchOnce(objects: ObjectStore, asked: ArchiveSearch): Promise<FoundInArchive> {
  const { project, environment, filter, limit } = asked;
  const own = (await readArchive(objects)).filter(({ manifest: { genesis } }) => {
    const isProject = project === undefined || genesis.project === project;
    return (
      isProject && (environment === undefined ? genesis.environment !== null : genesis.environment === environment)
    );
  });
  const names = new Map(
    own.map(({ manifest: { genesis } }) => [`${genesis.project}\n${genesis.environment}`, genesis]),
  );
  const files = new MonthFiles(objects, own);
  const rows: LogRow[] = [];
  if (names.size === 1) {
    for await (const row of matching(files, filter)) {
      rows.push(row);
      if (rows.length > limit) break;
    }
  }
  const logs = [...names.values()].map((genesis) => ({ project: genesis.project, environment: genesis.environment }));
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit, ...files.counted(), logs };
}

/** Rows as the public API shows them, with all that it tells. */
export function logDocuments(rows: readonly LogRow[]): readonly (ActivityLog | AdminLog)[] {
  return rows.map((row) =>
    row.entry.object === 'adminLog' ? adminLog(row, ['source']) : activityLog(row, ['status', 'source', 'changes']),
  );
}

/** A row of a month, by its sequence. */
interface Candidate {
  readonly month: ArchivedMonth;
  readonly sequence: number;
}

async function* matching(files: MonthFiles, filter: LogFilter): AsyncGenerator<LogRow> {
  const months = files.months.filter(({ segment: { month } }) => mayHave(month, filter.createdAt));
  for await (const candidate of candidatesOf(files, months, filter)) {
    const row = await rowAt(files, candidate);
    if (row && isMatch(row, filter)) yield row;
  }
}

function mayHave(month: string, { eq, gt, gte, lt, lte }: TimeRange = {}): boolean {
  const { start, end } = monthBounds(month);
  const from = Math.max(...[eq, gt, gte].map((time) => time ?? Number.NEGATIVE_INFINITY));
  const to = Math.min(...[eq, lt, lte].map((time) => time ?? Number.POSITIVE_INFINITY));
  return from < end && to >= start;
}

/** Rows that may fulfil the filter, the newest first: found by record, by person, or by what columns say. */
async function* candidatesOf(
  files: MonthFiles,
  months: readonly ArchivedMonth[],
  filter: LogFilter,
): AsyncGenerator<Candidate> {
  if (filter.recordId !== undefined) {
    yield* actsOfRecord(files, months, filter.recordId);
    return;
  }
  for (const month of months) {
    const sequences = filter.userEmail === undefined ? byColumns(files, month, filter) : byEmail(files, month, filter);
    for await (const sequence of sequences) yield { month, sequence };
  }
}

/** A row may add a record to an act of an earlier month. */
async function* actsOfRecord(
  files: MonthFiles,
  months: readonly ArchivedMonth[],
  recordId: string,
): AsyncGenerator<Candidate> {
  const acts = new Map<string, Candidate>();
  for (const month of files.months) {
    const table = await files.open(month.manifest.records, recordColumns);
    for await (const [chain, record, , , act] of table.cells({ record_uid: { $eq: recordId } })) {
      if (record !== recordId) continue;
      const sequence = Number(act);
      const own = months.find(({ segment }) => segment.chain === chain && isWithin(segment, sequence));
      if (own) acts.set(`${String(chain)} ${sequence}`, { month: own, sequence });
    }
  }
  const newest = (one: Candidate, other: Candidate) =>
    files.months.indexOf(one.month) - files.months.indexOf(other.month) || other.sequence - one.sequence;
  yield* [...acts.values()].sort(newest);
}

function isWithin({ first, last }: { readonly first: number; readonly last: number }, sequence: number): boolean {
  return sequence >= first && sequence <= last;
}

async function* byEmail(
  files: MonthFiles,
  month: ArchivedMonth,
  { userEmail = '' }: LogFilter,
): AsyncGenerator<number> {
  const email = comparableEmail(userEmail);
  const columns = valueColumns.filter(({ name }) => ['sequence', 'place', 'user_email_addr'].includes(name));
  const table = await files.open(month.manifest.values, columns);
  const found: number[] = [];
  for await (const { rows } of table.groups()) {
    for (const [sequence, place, address] of rows) {
      if (place === 'user' && comparableEmail(String(address)) === email) found.push(Number(sequence));
    }
  }
  yield* found.reverse();
}

/** Columns that say the same as a condition of the filter. */
const conditions: readonly (readonly [keyof LogFilter, readonly string[]])[] = [
  ['team', ['team_name']],
  ['collection', ['table_name']],
  ['type', ['type']],
  ['action', ['api_operation', 'entity_type']],
  ['correlationId', ['metadata_correlation_uid']],
  ['client', ['actor_app_uid', 'actor_app_name']],
  ['tool', ['tool']],
  ['codeVersion', ['code_version']],
];

/** The row groups from the end to the beginning. Those whose smallest and greatest values say that they have nothing are left out. */
async function* byColumns(files: MonthFiles, month: ArchivedMonth, filter: LogFilter): AsyncGenerator<number> {
  const wanted = conditions.flatMap(([name, columns]) =>
    filter[name] === undefined ? [] : [{ columns, value: filter[name] as string | number }],
  );
  const names = new Set(['object', ...wanted.flatMap(({ columns }) => columns)]);
  const columns = rowColumns.filter(({ name }) => names.has(name));
  const single = wanted.filter(({ columns: places }) => places.length === 1);
  const pruning = Object.fromEntries(single.map(({ columns: [name = ''], value }) => [name, { $eq: stored(value) }]));
  const table = await files.open(month.manifest.rows, columns);
  const at = (name: string) => columns.findIndex((column) => column.name === name);
  for await (const { rowStart, rows } of table.groupsFromEnd(single.length > 0 ? pruning : undefined)) {
    for (let index = rows.length - 1; index >= 0; index--) {
      const cells = rows[index] ?? [];
      const isEntry = cells[at('object')] === 'activityLog' || cells[at('object')] === 'adminLog';
      const fulfils = wanted.every(({ columns: places, value }) => places.some((name) => cells[at(name)] === value));
      if (isEntry && fulfils) yield month.segment.first + rowStart + index;
    }
  }
}

/** As the file has it. */
function stored(value: string | number): string | bigint {
  return typeof value === 'number' ? BigInt(value) : value;
}

/** A row with its values and its outcome; `undefined` for one that is neither an act nor a change. */
async function rowAt(files: MonthFiles, { month, sequence }: Candidate): Promise<LogRow | undefined> {
  const { manifest, segment } = month;
  const index = sequence - segment.first;
  const table = await files.open(
    manifest.rows,
    rowColumns.filter(({ name }) => ['hash', 'body'].includes(name)),
  );
  const [hash, body] = (await table.row(index)).map(String);
  const values = await files.open(manifest.values, valueColumns);
  const disclosed: string[] = [];
  for await (const [, row, place, salt, value] of values.cells({ sequence: { $eq: stored(sequence) } })) {
    if (Number(row) === sequence) disclosed.push(`${JSON.stringify(place)}:["${String(salt)}",${String(value)}]`);
  }
  const entry = shownRow({ body: body ?? '', disclosed: disclosed.length > 0 ? `{${disclosed.join(',')}}` : null });
  if (entry.object === 'adminLog') return { entry, status: null, hash: hash ?? '' };
  if (entry.object !== 'activityLog') return undefined;
  const status = entry.status === 'pending' ? await outcomeOf(files, month, sequence) : entry.status;
  return { entry, status, hash: hash ?? '' };
}

const outcomeColumns = rowColumns.filter(({ name }) => ['object', 'status', 'act_sequence'].includes(name));

/** How an act ended whose end was not known: a row says so in its month or in the next one. */
async function outcomeOf(files: MonthFiles, month: ArchivedMonth, sequence: number): Promise<ActivityEntry['status']> {
  const { chain } = month.segment;
  const later = files.months.filter(({ segment }) => segment.chain === chain && segment.last >= sequence).slice(-2);
  for (const { manifest } of later.reverse()) {
    const table = await files.open(manifest.rows, outcomeColumns);
    for await (const [object, status, act] of table.cells({ act_sequence: { $eq: stored(sequence) } })) {
      if (object === 'activityLogOutcome' && Number(act) === sequence) return status as ActivityEntry['status'];
    }
  }
  return 'pending';
}

/** What no column or index has said yet, and all that one has said again. */
function isMatch({ entry, status }: LogRow, filter: LogFilter): boolean {
  const time = Date.parse(entry.createdAt);
  const { eq, gt, gte, lt, lte } = filter.createdAt ?? {};
  const isInTime =
    (eq === undefined || time === eq) &&
    (gt === undefined || time > gt) &&
    (gte === undefined || time >= gte) &&
    (lt === undefined || time < lt) &&
    (lte === undefined || time <= lte);
  const email = filter.userEmail === undefined ? undefined : comparableEmail(filter.userEmail);
  const isUser = email === undefined || (entry.user !== undefined && comparableEmail(entry.user.email) === email);
  if (!isInTime || !isUser || !isSame(filter.type, entry.type)) return false;
  if (entry.object === 'adminLog') return isSame(filter.action, entry.resource);
  const { client } = filter;
  return (
    isSame(filter.action, entry.action) &&
    isSame(filter.team, entry.team.name) &&
    isSame(filter.collection, entry.collection?.name) &&
    isSame(filter.status, status) &&
    isSame(filter.correlationId, entry.correlationId) &&
    isSame(filter.tool, entry.tool) &&
    isSame(filter.codeVersion, entry.codeVersion) &&
    (client === undefined || entry.client?.id === client || entry.client?.name === client)
  );
}

function isSame(wanted: unknown, value: unknown): boolean {
  return wanted === undefined || wanted === value;
}

/** The files of months, each opened once. */
class MonthFiles {
  readonly #objects: ObjectStore;
  readonly #opened = new Map<string, Awaited<ReturnType<typeof openTable>>>();
  readonly #read = new Set<string>();
  /** The newest first. */
  readonly months: readonly ArchivedMonth[];

  constructor(objects: ObjectStore, months: readonly ArchivedMonth[]) {
    this.#objects = objects;
    this.months = months.toSorted((one, other) => (one.segment.month < other.segment.month ? 1 : -1));
  }

  async open(file: ArchivedFile, columns: readonly Column[]): Promise<TableReader> {
    const opened = this.#opened.get(file.path) ?? (await openTable(this.#objects, file));
    this.#opened.set(file.path, opened);
    return new TableReader(opened, columns, (group) => this.#read.add(`${file.path} ${group}`));
  }

  counted() {
    const groups = [...this.#opened.values()].reduce((sum, { metadata }) => sum + metadata.row_groups.length, 0);
    return { groupsRead: this.#read.size, groups };
  }
}
