import * as z from 'zod';
import { canonicalJson } from '#kernel/json/canonical-json';
import { ChainCheck, type CheckedRow } from './chain-check.ts';
import type { CheckpointKey } from './checkpoint.ts';
import { exportEndSchema, exportStartSchema } from './export-lines.ts';
import { BrokenLog, type Verdict } from './verdict.ts';

export interface VerifyOptions {
  /** Public keys of the platform that are known from elsewhere than the export. */
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints of the chain that are kept elsewhere. */
  readonly anchors?: readonly string[];
}

interface State {
  check: ChainCheck | undefined;
  isFiltered: boolean;
  isWhole: boolean;
}

/**
 * Verify an export of the audit log, line by line, from the published format only: the hash, the order and the time of every row, the
 * signed checkpoints and tombstones, and the checkpoints that somebody kept elsewhere.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  { keys, anchors = [] }: VerifyOptions,
): Promise<Verdict> {
  const state: State = { check: undefined, isFiltered: false, isWhole: false };
  let isCut = true;
  let problem: Verdict['problem'] = null;
  try {
    for await (const line of lines) {
      if (line === '') continue;
      isCut = !takeLine(state, line, { keys, anchors });
    }
    if (!state.check) throw new BrokenLog('unreadable', 0, 'The export has no first line.');
    state.check.finish(!isCut && state.isWhole);
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  }
  const { check } = state;
  const missing = [
    ...(isCut ? ['The export was cut off: its last line is missing.'] : []),
    ...(state.isFiltered ? ['The export has filters, so that rows are missing on purpose.'] : []),
    ...(keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : []),
    ...(keys.length > 0 && !check?.signed ? ['No checkpoint is there that a known key has signed.'] : []),
  ];
  return {
    outcome: problem ? 'broken' : missing.length > 0 ? 'unverifiable' : 'holds',
    chain: check?.chain ?? null,
    rows: check?.rows ?? 0,
    first: check?.first ?? null,
    last: check && check.rows > 0 ? check.last : null,
    problem,
    missing,
    checkpoint: check?.signed?.note ?? null,
  };
}

/** Whether the line is the last one of a whole export. */
function takeLine(state: State, line: string, options: Required<VerifyOptions>): boolean {
  const next = (state.check?.last ?? -1) + 1;
  const row = state.check && splitRow(line);
  if (row) {
    state.check?.take(row);
    return false;
  }
  const read = parsed(line, next);
  if (read['object'] === 'start') begin(state, readAs(exportStartSchema, read, next), options);
  else if (!state.check) throw new BrokenLog('unreadable', 0, 'The export does not begin with its first line.');
  else if (read['object'] === 'end') {
    const { signedCheckpoint, hasMore } = readAs(exportEndSchema, read, next);
    if (signedCheckpoint !== null) state.check.takeCheckpoint(signedCheckpoint);
    state.isWhole = !hasMore;
    return true;
  } else if (read['object'] !== 'checkpoint') state.check.take(rewritten(read));
  return false;
}

/** An export that goes on after a cut has a first line of its own. */
function begin(state: State, start: z.output<typeof exportStartSchema>, options: Required<VerifyOptions>): void {
  const { check } = state;
  const { genesis, after, previousHash, filters } = start;
  if (check && (genesis.chain !== check.chain || after > check.last)) {
    throw new BrokenLog('gap', check.last + 1, 'The export goes on elsewhere than it was cut off.');
  }
  state.isFiltered ||= filters.length > 0;
  state.check ??= new ChainCheck({ genesis, after, previousHash, hasGaps: state.isFiltered, ...options });
}

const hashes = /^,"hash":"([0-9a-f]{64})","previousHash":"([0-9a-f]{64})"\}$/;
/** How many characters that is. */
const hashesLength = 157;

/** A row as the platform wrote it: the body with both hashes at its end. */
function splitRow(line: string): CheckedRow | undefined {
  const found = hashes.exec(line.slice(-hashesLength));
  if (!found) return undefined;
  const [, hash = '', previousHash = ''] = found;
  return { body: `${line.slice(0, -hashesLength)}}`, hash, previousHash };
}

/** A row that another program wrote again, in the form that was hashed. */
function rewritten({ hash, previousHash, ...body }: Readonly<Record<string, unknown>>): CheckedRow {
  return { body: canonicalJson(body), hash: String(hash), previousHash: String(previousHash) };
}

const objectSchema = z.record(z.string(), z.unknown());

function parsed(line: string, next: number): Readonly<Record<string, unknown>> {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    throw new BrokenLog('unreadable', next, `A line is no JSON: ${line.slice(0, 60)}`);
  }
  return readAs(objectSchema, read, next);
}

function readAs<Schema extends z.ZodType>(schema: Schema, read: unknown, next: number): z.output<Schema> {
  const result = schema.safeParse(read);
  if (result.success) return result.data;
  throw new BrokenLog('unreadable', next, 'A line is neither a row nor one that says where to go on.');
}
