import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type ArchivedFile, archivePaths, archiveTables, isAbout, isSignedManifest } from '#contracts/audit/archive';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import { type Commitments, commitmentOf } from '#contracts/audit/disclosures';
import type { ErasureEntry } from '#contracts/audit/erasure';
import type { AuditEntry, RowPlace } from '#contracts/audit/rows';
import { readAnchor } from '#contracts/audit/segment';
import { BrokenLog, type Problem, type Verdict } from '#contracts/audit/verdict';
import type { ObjectStore, StoredObject } from '#kernel/ports/object-store';
import { openThreadPool } from '#node/system/thread-pool';
import { EntrySums } from '../audit/entry-sums.ts';
import { recordCells, recordColumns, rowCells, rowColumns, valueCell, valueColumns } from './archive-columns.ts';
import { MonthCheck } from './month-check.ts';
import type { ArchiveSurroundings } from './open-archive.ts';
import { type Cell, type Column, changedFile, missingFile, openTable, readTable } from './parquet-table.ts';
import { type ArchivedMonth, archiveAttempts, manifestPaths, readArchive } from './read-archive.ts';
import { erasedTo } from './write-month.ts';

export interface ArchiveVerdict {
  readonly outcome: Verdict['outcome'];
  readonly logs: readonly VerifiedLog[];
  readonly problem: Problem | null;
  /** What is missing for a proof. */
  readonly missing: readonly string[];
}

interface VerifiedLog {
  readonly project: string;
  readonly environment: string | null;
  readonly chain: string;
  readonly months: readonly string[];
  readonly rows: number;
  readonly first: number;
  readonly last: number;
  /** Rows of the log that say that values were deleted from these months. */
  readonly erasures: readonly number[];
}

export interface VerifyArchiveInput {
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints and notes of segments that are kept elsewhere. */
  readonly anchors: readonly string[];
}

/** How an archive is verified by several threads. */
export interface ArchiveThreads {
  /** Where each thread opens the archive. */
  readonly address: string;
  readonly surroundings: ArchiveSurroundings;
  /** Called before each month. */
  onMonth?(month: string): void;
}

/** What a thread is given. */
export interface MonthTask extends VerifyArchiveInput, Omit<ArchiveThreads, 'onMonth'> {
  readonly month: ArchivedMonth;
}

/** The erasures among the rows of a month, or what is wrong with it. */
export type MonthAnswer = { readonly erasures: readonly (ErasureEntry & RowPlace)[] } | { readonly problem: Problem };

type VerifiesMonth = (month: ArchivedMonth) => Promise<MonthAnswer>;

/**
 * Verify an archive without the store and the platform. Looked at are every file that a manifest names, files that none names, every row
 * with its values, and the root of every month. The months of each log must follow one another. A run that follows an erasure removes files
 * that manifests named a moment before, so what is wrong with an archive counts once its manifests have stayed as they were.
 */
export async function verifyArchive(
  objects: ObjectStore,
  input: VerifyArchiveInput,
  threads?: ArchiveThreads,
): Promise<ArchiveVerdict> {
  for (let attempt = 1; attempt <= archiveAttempts; attempt++) {
    const before = await manifestPaths(objects);
    const verdict = await verifyOnce(objects, input, threads);
    if (!verdict.problem || before === (await manifestPaths(objects))) return verdict;
  }
  const missing = ['An archive that stays as it is while it is read. Wait until `audit archive` has ended.'];
  return { outcome: 'unverifiable', logs: [], problem: null, missing };
}

async function verifyOnce(
  objects: ObjectStore,
  input: VerifyArchiveInput,
  threads: ArchiveThreads | undefined,
): Promise<ArchiveVerdict> {
  const logs: VerifiedLog[] = [];
  const pool = threads
    ? openThreadPool<MonthTask, MonthAnswer>('#platform/archive/month-worker', monthsAtOnce)
    : undefined;
  const verify: VerifiesMonth = (month) => {
    threads?.onMonth?.(month.segment.month);
    if (!threads || !pool) return answerOf(() => verifyMonth(objects, month, input));
    return pool.run({ ...input, month, address: threads.address, surroundings: threads.surroundings });
  };
  let problem: Problem | null = null;
  const missing = input.keys.length > 0 ? [] : ['A public key of the platform, known from elsewhere.'];
  try {
    const months = await readArchive(objects);
    const unnamed = await unnamedFiles(objects, months);
    for (const own of Map.groupBy(months, ({ segment }) => segment.chain).values()) {
      logs.push(await verifyLog(own, verify, pool ? monthsAtOnce : 1));
    }
    missing.push(...(months.length === 0 ? ['A month: the archive has none yet.'] : []), ...unnamed);
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  } finally {
    await pool?.close();
  }
  const outcome = problem ? 'broken' : missing.length > 0 ? 'unverifiable' : 'holds';
  return { outcome, logs, problem, missing };
}

/**
 * Files that no manifest names: engines would read their rows as well. A month without a manifest is one that a run has not finished, and
 * proves nothing. So are values under the name that a run gives them after another erasure: they are there before their manifest, and go
 * after the one before them. Beside a manifest, any other such file is not of the archive.
 */
async function unnamedFiles(objects: ObjectStore, months: readonly ArchivedMonth[]): Promise<readonly string[]> {
  const named = new Set(months.flatMap(({ manifest }) => archiveTables.map((table) => manifest[table].path)));
  const folders = new Set([...named].map(folderOf));
  const valuesOfRuns = new Set(months.map(({ manifest }) => withoutGeneration(manifest.values.path)));
  const unfinished: string[] = [];
  for (const table of archiveTables) {
    for (const { path } of await objects.list(`${table}/`)) {
      if (named.has(path)) continue;
      if (valuesOfRuns.has(withoutGeneration(path)) || !folders.has(folderOf(path))) unfinished.push(path);
      else throw new BrokenLog('order', 0, `The file ${path} is in no manifest, and engines read its rows as well.`);
    }
  }
  const [first] = unfinished;
  if (first === undefined) return [];
  const said = 'Run `audit archive` again, or wait for it: it was interrupted, or is running, and left';
  return [`${said} ${first}${unfinished.length > 1 ? ` and ${unfinished.length - 1} more` : ''}.`];
}

/** What all values of a month have in common; any other path as it is. */
function withoutGeneration(path: string): string {
  return path.replace(/-\d+\.parquet$/, '');
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Each takes the memory of some row groups. */
const monthsAtOnce = Math.min(2, availableParallelism());

/** What a thread can hand over: errors lose their class on the way. */
export async function answerOf(verify: () => ReturnType<typeof verifyMonth>): Promise<MonthAnswer> {
  try {
    return { erasures: await verify() };
  } catch (error) {
    if (error instanceof BrokenLog) return { problem: error.problem };
    throw error;
  }
}

async function verifyLog(
  months: readonly ArchivedMonth[],
  verify: VerifiesMonth,
  atOnce: number,
): Promise<VerifiedLog> {
  const [first] = months;
  if (!first) throw new TypeError('A log has a month.');
  const erasures: (ErasureEntry & RowPlace)[] = [];
  let before: ArchivedMonth | undefined;
  let rows = 0;
  const underWay: Promise<MonthAnswer>[] = [];
  for (const [index, month] of months.entries()) {
    requireNext(before, month);
    for (const next of months.slice(underWay.length, index + atOnce)) {
      const answer = verify(next);
      // A failure counts when its turn comes.
      answer.catch(() => undefined);
      underWay.push(answer);
    }
    const answer = await underWay[index];
    if (answer && 'problem' in answer) throw new BrokenLog(...problemOf(answer.problem));
    erasures.push(...(answer?.erasures ?? []));
    rows += month.segment.size;
    before = month;
  }
  // A later month may tell of an erasure that the archive has not followed yet.
  for (const erasure of erasures) {
    const behind = months.find((month) => isAbout(erasure, month.segment) && !knows(month, erasure.sequence));
    if (behind) throw stillThere(behind, erasure.sequence);
  }
  const { project, environment, chain } = first.manifest.genesis;
  return {
    ...{ project, environment, chain, rows, months: months.map(({ segment }) => segment.month) },
    ...{ first: first.segment.first, last: before?.segment.last ?? 0 },
    erasures: [...new Set(months.flatMap(({ manifest }) => manifest.erasures.map(({ sequence }) => sequence)))],
  };
}

function problemOf({ kind, sequence, message }: Problem): ConstructorParameters<typeof BrokenLog> {
  return [kind, sequence, message];
}

function knows({ manifest }: ArchivedMonth, sequence: number): boolean {
  return manifest.erasures.some((erasure) => erasure.sequence === sequence);
}

function stillThere({ segment }: ArchivedMonth, sequence: number): BrokenLog {
  const what = `The archive of ${segment.month} has values that row ${sequence} of the log says are erased.`;
  return new BrokenLog('disclosure', sequence, `${what} Run \`audit archive\` again: it takes them out.`);
}

function requireNext(before: ArchivedMonth | undefined, { segment }: ArchivedMonth): void {
  if (!before) return;
  const { last, end, month } = before.segment;
  if (segment.first !== last + 1) {
    throw new BrokenLog('gap', last + 1, `Rows ${last + 1} to ${segment.first - 1} are missing: behind ${month}.`);
  }
  if (segment.before !== end) {
    throw new BrokenLog('order', segment.first, `${segment.month} does not go on from ${month}.`);
  }
}

/** Verify one month; the erasures among its rows. Throws `BrokenLog`. */
export async function verifyMonth(
  objects: ObjectStore,
  { manifest, segment, path }: ArchivedMonth,
  { keys, anchors }: VerifyArchiveInput,
): Promise<readonly (ErasureEntry & RowPlace)[]> {
  const { genesis, note, erasures } = manifest;
  if (keys.length > 0 && !isSignedManifest(manifest, keys)) {
    throw new BrokenLog('signature', segment.first, `The platform has not signed the manifest ${path}.`);
  }
  const places = archivePaths({ genesis, segment, erasedTo: erasedTo(erasures) });
  if (places.manifest !== path || archiveTables.some((table) => manifest[table].path !== places[table])) {
    throw new BrokenLog('order', segment.first, `The manifest ${path} belongs elsewhere.`);
  }
  for (const table of archiveTables) await requireFile(objects, manifest[table], segment.first);
  const own = anchors.filter((each) => {
    const said = readAnchor(each);
    return said?.chain === segment.chain && said.size >= segment.first && said.size <= segment.last;
  });
  const check = new MonthCheck({ genesis, note, keys, anchors: own });
  const values = new Beside(readTable(await openTable(objects, manifest.values), valueColumns), segment.chain);
  const records = new EntrySums();
  const found: (ErasureEntry & RowPlace)[] = [];
  for await (const group of readTable(await openTable(objects, manifest.rows), rowColumns)) {
    await values.readTo(check.segment.first + check.taken + group.length - 1);
    for (const cells of group) {
      const [body, hash] = [textAt(cells, 'body'), textAt(cells, 'hash')];
      const row = check.take({ body, hash, disclosed: values.commitmentsOf(check.segment.first + check.taken) });
      requireSame(rowCells(row, hash, body), cells, rowColumns, row);
      for (const record of recordCells(row)) records.expect(row.sequence, record.map(String));
      if (row.object === 'erasure') found.push(row);
    }
  }
  await requireRecords(readTable(await openTable(objects, manifest.records), recordColumns), records);
  values.finish();
  check.finish(erasures);
  return found;
}

const bytesPerRead = 8 * 1024 * 1024;

/** The file is there, and is the one that was signed. */
async function requireFile(objects: ObjectStore, { path, bytes, sha256 }: ArchivedFile, first: number): Promise<void> {
  const found = (await objects.list(path)).find((each: StoredObject) => each.path === path);
  if (!found) throw missingFile(path, first);
  const digest = createHash('sha256');
  for (let at = 0; found.bytes === bytes && at < bytes; at += bytesPerRead) {
    digest.update(await objects.read(path, at, Math.min(at + bytesPerRead, bytes)));
  }
  if (found.bytes === bytes && digest.digest('hex') === sha256) return;
  throw changedFile(path, first);
}

function textAt(cells: readonly Cell[], name: string): string {
  return String(cells[rowColumns.findIndex((column) => column.name === name)]);
}

/** A row says what is in the columns, so that nobody is misled by a query. */
function requireSame(
  expected: readonly Cell[],
  cells: readonly Cell[],
  columns: readonly Column[],
  { sequence }: Pick<AuditEntry & RowPlace, 'sequence'>,
): void {
  const other = columns.findIndex((_column, at) => (expected[at] ?? null) !== (cells[at] ?? null));
  const name = columns[other]?.name;
  if (name === undefined) return;
  throw new BrokenLog('column', sequence, `Row ${sequence} has another value in the column ${name} than it says.`);
}

/** Values in the order of the rows that they belong to. */
class Beside {
  readonly #groups: AsyncIterator<readonly Cell[][]>;
  #cells: (readonly Cell[])[] = [];
  readonly #chain: string;
  #at = 0;
  #isOver = false;

  constructor(groups: AsyncGenerator<readonly Cell[][]>, chain: string) {
    this.#groups = groups;
    this.#chain = chain;
  }

  /** Have all values of the rows up to this one. */
  async readTo(sequence: number): Promise<void> {
    this.#cells = this.#cells.slice(this.#at);
    this.#at = 0;
    while (!this.#isOver && Number(this.#cells.at(-1)?.[1] ?? -1) <= sequence) {
      const { value, done } = await this.#groups.next();
      if (done === true) this.#isOver = true;
      else this.#cells.push(...(value as Cell[][]));
    }
  }

  commitmentsOf(sequence: number): Commitments {
    const found: Record<string, string> = {};
    for (let cells = this.#cells[this.#at]; cells && Number(cells[1]) === sequence; cells = this.#cells[this.#at]) {
      const [, , place = '', salt = '', value = ''] = cells.map(String);
      requireSame(valueCell({ chain: this.#chain, sequence }, place, salt, value), cells, valueColumns, { sequence });
      if (place in found) throw twice(sequence, place);
      found[place] = commitmentOf(place, salt, value);
      this.#at++;
    }
    return found;
  }

  finish(): void {
    const left = this.#cells[this.#at];
    if (left) throw new BrokenLog('disclosure', Number(left[1]), `There is a value of row ${left[1]} that has no row.`);
  }
}

function twice(sequence: number, place: string): BrokenLog {
  return new BrokenLog('disclosure', sequence, `Row ${sequence} has two values at ${place}.`);
}

/** The table of records has an entry for each record of a row, in any order. */
async function requireRecords(groups: AsyncGenerator<readonly Cell[][]>, sums: EntrySums): Promise<void> {
  for await (const group of groups) for (const cells of group) sums.find(Number(cells[3]), cells.map(String));
  const wrong = sums.difference();
  if (!wrong) return;
  const { from, to } = wrong;
  throw new BrokenLog('column', from, `The records of rows ${from} to ${to} are not those that the rows say.`);
}
