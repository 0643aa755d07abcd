import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../../flow-context.ts';
import { connectToLog, type LogAccess, type LogInput } from '../connect-to-audit-log.ts';
import { batchesOf } from './export-batches.ts';
import type { LogBatch, LogLine, LogSink, TailFormat } from './log-sink.ts';
import { openSink } from './open-sink.ts';
import { type RetryWhileAwayInput, retryWhileAway } from './retry-while-away.ts';
import { invalid, type TailState, tailState } from './tail-state.ts';

export interface TailInput extends LogInput {
  /** The sink of the caller, or the address of another system. */
  readonly to: LogSink | string;
  /** The default is `cef` for syslog, and `ndjson` for everything else. */
  readonly format?: TailFormat | undefined;
  /** File that remembers what was delivered. */
  readonly state?: string | undefined;
  /** Begin with the first row instead of the next one, where there is no state yet. */
  readonly isFromStart: boolean;
  /** End when nothing is new. */
  readonly isOnce: boolean;
  /** Name of this machine. */
  readonly hostname: string;
  readonly signal: AbortSignal;
}

/** One unit of the quota of the public API. */
const rowsPerPart = 5_000;
/** How long the platform holds a request for new rows. With the pause, a tail without news stays below 10,000 requests a day. */
const followSeconds = 8;
const idleMs = 1_000;
const partDeadlineMs = 30_000;
const onceLongestMs = 60_000;

/**
 * Hand the rows of a log over to another system, and then the new ones as they come, until `signal` aborts. The state advances only
 * after the system has confirmed the rows before, so that a row is delivered at least once, in order.
 */
export async function tailLog(context: FlowContext, input: TailInput): Promise<{ readonly rows: number }> {
  const delivered = { rows: 0 };
  const away: RetryWhileAwayInput = {
    clock: context.clock,
    random: context.random,
    signal: input.signal,
    longestMs: input.isOnce ? onceLongestMs : Number.POSITIVE_INFINITY,
    tellAway: ({ message }) => context.reporter.warn(message, 'It is tried again until it works.'),
  };
  try {
    await follow(context, input, away, delivered);
  } catch (error) {
    if (!input.signal.aborted) throw error;
  }
  return delivered;
}

async function follow(
  context: FlowContext,
  input: TailInput,
  away: RetryWhileAwayInput,
  delivered: { rows: number },
): Promise<void> {
  const access = await retryWhileAway(away, () => connectToLog(context, input));
  const { project, environment } = access.log;
  const log = environment === undefined ? project : `${project}/${environment}`;
  const format = input.format ?? (/^syslog/.test(String(input.to)) ? 'cef' : 'ndjson');
  const { to, hostname } = input;
  const kind = input.isAdmin ? 'admin' : 'activity';
  const state =
    input.state === undefined
      ? undefined
      : tailState(context.fs, path.resolve(context.workingFolder, input.state), `${kind} ${log}`, format);
  const cursor = await state?.read();
  const sink = typeof to === 'string' ? await openSink(context, { to, format, log, kind, hostname }) : to;
  const tail = new Tail(access, sink, format, state, away, delivered);
  try {
    await tail.run(cursor ?? (await tail.begin(input.isFromStart)), input.isOnce);
  } finally {
    await sink.close?.();
  }
}

class Tail {
  readonly #access: LogAccess;
  readonly #sink: LogSink;
  readonly #format: TailFormat;
  readonly #state: TailState | undefined;
  readonly #away: RetryWhileAwayInput;
  readonly #delivered: { rows: number };
  /** Other formats leave nothing out that the chain of the log has rows for. */
  readonly #filters: { readonly include?: 'all' };

  constructor(
    access: LogAccess,
    sink: LogSink,
    format: TailFormat,
    state: TailState | undefined,
    away: RetryWhileAwayInput,
    delivered: { rows: number },
  ) {
    this.#access = access;
    this.#sink = sink;
    this.#format = format;
    this.#state = state;
    this.#away = away;
    this.#delivered = delivered;
    this.#filters = format === 'ndjson' ? {} : { include: 'all' };
  }

  /** The place to begin at without a state. It is remembered at once: what comes next must not be missed. */
  async begin(isFromStart: boolean): Promise<string | undefined> {
    if (isFromStart) return undefined;
    const { client, log } = this.#access;
    const newest = { ...this.#filters, limit: 1 };
    const { nextCursor } = await retryWhileAway<{ readonly nextCursor: string | null }>(this.#away, () =>
      log.environment === undefined ? client.adminLogs(log, newest) : client.activityLogs(log, newest),
    );
    if (nextCursor !== null) await this.#state?.write(nextCursor);
    return nextCursor ?? undefined;
  }

  async run(start: string | undefined, isOnce: boolean): Promise<void> {
    const { signal } = this.#away;
    let cursor = start;
    while (!signal.aborted) {
      const part = await this.#read(cursor, isOnce ? 0 : followSeconds);
      for (const batch of part.batches) {
        await this.#deliver(batch);
        cursor = batch.cursor;
        if (signal.aborted) return;
      }
      if (part.cursor !== undefined && part.cursor !== cursor) await this.#state?.write(part.cursor);
      cursor = part.cursor ?? cursor;
      if (isOnce && !part.hasMore) return;
      if (part.batches.length === 0 && !part.hasMore) await wait(idleMs, undefined, { signal });
    }
  }

  async #read(after: string | undefined, follow: number) {
    const { client, log } = this.#access;
    const parameters = { ...this.#filters, format: this.#format, max: rowsPerPart, follow, after };
    try {
      return await retryWhileAway(this.#away, async () =>
        batchesOf(
          await client.exportPart(log, parameters, { signal: this.#away.signal, deadlineMs: partDeadlineMs }),
          this.#format,
        ),
      );
    } catch (error) {
      throw after === undefined ? error : explained(error);
    }
  }

  async #deliver({ lines, text, cursor }: LogBatch): Promise<void> {
    for (const part of partsOf(lines, text, this.#sink)) {
      await retryWhileAway(this.#away, () => this.#sink.write(part));
    }
    await this.#state?.write(cursor);
    this.#delivered.rows += lines.length;
  }
}

/** What a sink takes at once. */
function* partsOf(
  lines: readonly LogLine[],
  text: string,
  { limits }: LogSink,
): Generator<Pick<LogBatch, 'lines' | 'text'>> {
  if (!limits) return yield { lines, text };
  let part: LogLine[] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(line.text) + 1;
    if (part.length === limits.lines || (part.length > 0 && bytes + size > limits.bytes)) {
      yield { lines: part, text: '' };
      [part, bytes] = [[], 0];
    }
    part.push(line);
    bytes += size;
  }
  if (part.length > 0) yield { lines: part, text: '' };
}

/** The platform does not take the cursor any more. */
function explained(error: unknown): unknown {
  const status = isCloudError(error) ? error.safeDetails['status'] : undefined;
  if (status === 400) {
    return invalid(
      'The platform does not know the place in the state: it is of another platform, or the log was replaced.',
      'Verify the log with "audit verify". Then name another file with --state.',
      error,
    );
  }
  if (status !== 410) return error;
  return cloudError(
    'CURSOR_PRUNED',
    'Rows that were not delivered yet were removed, because their retention was over.',
    'Remove the file of --state and run the command with --from-start, which begins at the oldest row.',
    { cause: error },
  );
}
