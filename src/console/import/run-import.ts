import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { csvLine, recordOf, type Target } from './columns.ts';
import type { Table, TableRow } from './table.ts';

/** All records in one transaction, or each by itself. */
export type ImportMode = 'all' | 'parts';

/** The agent takes no more in one transaction. */
export const mostAtOnce = 5_000;
const rowsOfRequest = 500;
/** Written records that an address can name. */
const mostLinked = 100;
/** Problems that are shown. */
const mostShown = 200;

export interface ImportJob {
  readonly agent: AgentAddress;
  readonly collection: string;
  readonly table: Table;
  readonly targets: readonly (Target | undefined)[];
  readonly mode: ImportMode;
  readonly isDryRun: boolean;
  /** Ends the import after the request that is on its way. */
  readonly signal: AbortSignal;
  readonly words: { readonly cells: string; readonly json: string; readonly untried: string };
  readonly onProgress: (outcome: ImportOutcome) => void;
}

interface ImportProblem {
  readonly line: number | null;
  readonly field: string | null;
  readonly text: string;
}

export interface ImportOutcome {
  /** Rows that were read and sent, or refused here. */
  readonly rows: number;
  /** Records that were written; in a check those that would be. */
  readonly created: number;
  /** Of the first records that were written. */
  readonly ids: readonly string[];
  readonly failed: number;
  /** The first ones. */
  readonly problems: readonly ImportProblem[];
  /** Fields without a value that the database demands. */
  readonly missing: readonly string[];
  /** The refused rows: where each begins, and the row as a line of CSV with the reason. */
  readonly refused: readonly { readonly line: number; readonly text: string }[];
  /** Somebody cancelled it, or the connection ended: the rows from this line on were not sent, or nobody knows. */
  readonly stopped?: { readonly line: number; readonly isUnknown: boolean };
}

interface ImportAnswer {
  readonly meta: {
    readonly created: number;
    readonly ids?: readonly string[];
    readonly failed: number;
    readonly untried: number;
    /** Whether the agent left the rest because half of the time was up. */
    readonly timeUp?: boolean;
    readonly missing?: readonly string[];
  };
  readonly errors: readonly { readonly line: number | null; readonly field: string | null; readonly detail: string }[];
}

/** More than one transaction takes. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

/** Sends the rows of a table, and tells what became of them. Throws what reading and the agent throw. */
export async function runImport(job: ImportJob): Promise<ImportOutcome> {
  const size = job.mode === 'all' ? mostAtOnce : rowsOfRequest;
  let outcome: ImportOutcome = { rows: 0, created: 0, ids: [], failed: 0, problems: [], missing: [], refused: [] };
  let batch: TableRow[] = [];
  const flush = async () => {
    const rows = batch;
    batch = [];
    outcome = await withBatch(outcome, rows, job);
    job.onProgress(outcome);
  };
  for await (const row of job.table.rows()) {
    if (batch.length === size) {
      if (job.mode === 'all') throw new TooManyRows();
      await flush();
      if (outcome.stopped) return outcome;
      if (job.signal.aborted) return { ...outcome, stopped: { line: row.line, isUnknown: false } };
    }
    batch.push(row);
  }
  if (batch.length > 0) await flush();
  return outcome;
}

async function withBatch(before: ImportOutcome, rows: readonly TableRow[], job: ImportJob): Promise<ImportOutcome> {
  const here = problemsHere(rows, job);
  const sound = rows.filter(({ problem }) => problem === undefined);
  // A transaction takes all rows or none.
  const sent = job.mode === 'all' && here.length > 0 && !job.isDryRun ? [] : sound;
  const answer = await send(sent, job);
  if (answer === 'unknown') return { ...before, stopped: { line: rows[0]?.line ?? 1, isUnknown: true } };
  const { meta } = answer;
  if (meta.timeUp) {
    const [tried, rest] = cutBehind(rows, meta.created + meta.failed);
    const done = outcomeOf(before, tried, { ...answer, meta: { ...meta, untried: 0 } }, job);
    job.onProgress(done);
    if (job.signal.aborted) return { ...done, stopped: { line: rest[0]?.line ?? 1, isUnknown: false } };
    return withBatch(done, rest, job);
  }
  return outcomeOf(before, rows, answer, job);
}

function outcomeOf(
  before: ImportOutcome,
  rows: readonly TableRow[],
  { meta, errors }: ImportAnswer,
  job: ImportJob,
): ImportOutcome {
  const here = problemsHere(rows, job);
  const told = [...here, ...errors.map(({ line, field, detail }) => ({ line, field, text: detail }))];
  const reasons = new Map<number | null, string>();
  for (const { line, field, text } of told) {
    const reason = field === null ? text : `${field}: ${text}`;
    const known = reasons.get(line);
    reasons.set(line, known === undefined ? reason : `${known} ${reason}`);
  }
  const isNoneWritten = job.mode === 'all' && told.length > 0;
  const refused = rows.flatMap(({ line, cells }) => {
    const reason = reasons.get(line) ?? (isNoneWritten ? job.words.untried : undefined);
    return reason === undefined ? [] : [{ line, text: csvLine([...cells, reason]) }];
  });
  return {
    rows: before.rows + rows.length,
    created: before.created + meta.created,
    // The first of each part would leave a gap where one part has more.
    ids: before.ids.length === before.created ? [...before.ids, ...(meta.ids ?? [])].slice(0, mostLinked) : before.ids,
    failed: before.failed + here.length + meta.failed + meta.untried,
    problems: [...before.problems, ...told].slice(0, mostShown),
    missing: [...new Set([...before.missing, ...(meta.missing ?? [])])],
    refused: [...before.refused, ...refused],
  };
}

/** The rows up to those that the agent has tried, which are the first ones without a problem, and the rest. */
export function cutBehind(
  rows: readonly TableRow[],
  tried: number,
): readonly [readonly TableRow[], readonly TableRow[]] {
  const untried = rows.filter(({ problem }) => problem === undefined)[tried];
  const end = untried ? rows.indexOf(untried) : rows.length;
  return [rows.slice(0, end), rows.slice(end)];
}

function problemsHere(rows: readonly TableRow[], { words }: ImportJob): readonly ImportProblem[] {
  return rows.flatMap(({ line, problem }) => (problem ? [{ line, field: null, text: words[problem] }] : []));
}

/** A write is sent once: without an answer nobody knows whether the records are there. */
async function send(
  rows: readonly TableRow[],
  { agent, collection, table, targets, mode, isDryRun }: ImportJob,
): Promise<ImportAnswer | 'unknown'> {
  if (rows.length === 0) return { meta: { created: 0, failed: 0, untried: 0 }, errors: [] };
  const body = { mode, format: table.format, records: rows.map((row) => recordOf(row, targets)) };
  const parameters = { dryRun: isDryRun ? 'true' : undefined };
  try {
    return await askAgent<ImportAnswer>(agent, ['_internal', 'import', collection], parameters, {
      method: 'POST',
      body,
    });
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    if (error.status === 0 && !isDryRun) return 'unknown';
    const ofLines = error.problems.filter(({ line }) => line !== undefined);
    if (ofLines.length === 0) throw error;
    return {
      meta: { created: 0, failed: ofLines.length, untried: rows.length - ofLines.length },
      errors: ofLines.map(({ line = null, field = null, message }) => ({ line, field, detail: message })),
    };
  }
}
