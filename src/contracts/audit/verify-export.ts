import * as z from 'zod';
import { type ActLine, readActLines } from './act-line.ts';
import { type Genesis, genesisHash } from './chain.ts';
import { ChainCheck, type CheckedPlace, type CheckedRow } from './chain-check.ts';
import { type CheckpointKey, readCheckpoint } from './checkpoint.ts';
import { takeOutValues } from './disclosures.ts';
import {
  type ExportStart,
  exportEndSchema,
  exportFormat,
  exportStartSchema,
  firstExportStartSchema,
} from './export-lines.ts';
import { checkExportedRegister, type ProvedLog } from './exported-register.ts';
import { isBehindBackup, keptOf, newestRestore } from './register.ts';
import { readAnchor } from './segment.ts';
import { BrokenLog, emptyLog, type Verdict, verdictOf } from './verdict.ts';

export interface VerifyOptions {
  /** Public keys of the platform that are known from elsewhere than the export. */
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints that are kept elsewhere, of this log, of the register and of other logs. */
  readonly anchors?: readonly string[];
  /** The checkpoint that was verified last of the log that is asked for: it belongs to this one. */
  readonly kept?: string | undefined;
  /** Name of the environment whose log it must be, `null` for the log of a project. Checked where the export has a register. */
  readonly environment?: string | null | undefined;
}

type Options = Required<Pick<VerifyOptions, 'keys' | 'anchors'>> & Pick<VerifyOptions, 'kept' | 'environment'>;

/** Lines without their ends: all of them, or some at a time. A wait for each would take as long as a hash. */
export type Lines = readonly string[] | AsyncIterable<readonly string[]>;

/** A line, and the act that it is. */
export type ReadLine = readonly [line: string, act: ActLine | undefined];

const linesReadTogether = 64;

export function readParts(lines: Lines): AsyncIterable<readonly string[]> | Iterable<readonly string[]> {
  return Symbol.asyncIterator in lines ? lines : [lines];
}

/** All lines but empty ones, some at a time. */
export async function* readLines(lines: Lines): AsyncGenerator<readonly ReadLine[]> {
  for await (const part of readParts(lines)) {
    for (let at = 0; at < part.length; at += linesReadTogether) {
      const together = part.slice(at, at + linesReadTogether);
      const acts = readActLines(together);
      yield together.map((line, index): ReadLine => [line, acts[index]]).filter(([line]) => line !== '');
    }
  }
}

interface State {
  check: ChainCheck | undefined;
  /** What the register of the platform says of the log. */
  proved: ProvedLog | undefined;
  /** Whether a checkpoint that was kept is of this log. */
  isAnchored: boolean;
  isFiltered: boolean;
  isWhole: boolean;
  /** The format of the export, where this version does not know it. */
  newerFormat: number | undefined;
}

/**
 * Verify an export of the audit log, line by line, from the published format only. It looks at the hash, the order and the time
 * of every row, the signed checkpoints and tombstones, and the checkpoints that somebody kept elsewhere.
 */
export async function verifyExport(
  lines: Lines,
  { keys, anchors = [], kept, environment }: VerifyOptions,
): Promise<Verdict> {
  const state: State = {
    ...{ check: undefined, proved: undefined, newerFormat: undefined },
    ...{ isAnchored: false, isFiltered: false, isWhole: false },
  };
  const options = { keys, anchors, kept, environment };
  let isCut = true;
  let problem: Verdict['problem'] = null;
  try {
    for await (const part of readLines(lines)) {
      for (const read of part) {
        isCut = !takeLine(state, read, options);
        if (state.newerFormat !== undefined) return newerVerdict(state.newerFormat);
      }
    }
    if (!state.check) throw new BrokenLog('unreadable', 0, 'The export has no first line.');
    state.check.finish(!isCut && state.isWhole);
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    problem = error.problem;
  }
  const { check, proved } = state;
  const restored = newestRestore(proved?.restores ?? []);
  const missing = [
    ...(isCut ? ['The export was cut off: its last line is missing.'] : []),
    ...(!isCut && !state.isWhole ? ['The export ends before the log does.'] : []),
    ...(state.isFiltered ? ['The export has filters, so that rows are missing on purpose.'] : []),
    ...(keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : []),
    ...(keys.length > 0 && !check?.signed ? ['No checkpoint is there that a known key has signed.'] : []),
    ...(anchors.length > 0 && !state.isAnchored && !proved?.isAnchored
      ? ['None of the checkpoints that were kept is of this log or of the register of its platform.']
      : []),
  ];
  const verdict = verdictOf(check, { problem, missing, restored });
  return proved ? { ...verdict, register: proved.register } : verdict;
}

/** A log of a platform, and what is known of it. */
export interface PlatformLog extends VerifyOptions {
  readonly kind: 'activity' | 'admin';
  /** Name of its environment; `null` for the log of a project. */
  readonly environment: string | null;
  /** What the platform says: its public keys, and which logs it has. */
  readonly integrity: {
    readonly keys: readonly string[];
    readonly chains: readonly Pick<Genesis, 'kind' | 'environment'>[];
  };
}

/** Verify a log as its platform exports it now. Without keys from elsewhere, those that the platform names are trusted. */
export async function verifyPlatformLog(lines: Lines, log: PlatformLog): Promise<Verdict> {
  const { integrity, kind, environment, kept, keys, anchors = [] } = log;
  const isThere = integrity.chains.some((each) => each.kind === kind && each.environment === environment);
  if (!isThere && kept === undefined && anchors.length === 0) return emptyLog;
  // What the platform says of itself is worth no more than the connection to it.
  const trusted = keys.length > 0 ? keys : integrity.keys.map((verifier) => ({ verifier }));
  return verifyExport(lines, { keys: trusted, anchors, kept, environment });
}

/** What this version cannot verify may well hold. */
function newerVerdict(format: number): Verdict {
  return {
    outcome: 'unverifiable',
    chain: null,
    rows: 0,
    first: null,
    last: null,
    problem: null,
    checkpoint: null,
    missing: [
      `The export is of format ${format}, and this vendor-cloud knows formats up to ${exportFormat}: update it.`,
    ],
  };
}

/** Whether the line is the last one of a whole export. */
function takeLine(state: State, [line, act]: ReadLine, options: Options): boolean {
  const { check } = state;
  if (check && act) {
    check.takeAct(act);
    return false;
  }
  const row = check && cutRow(line);
  if (row) {
    check.take(row);
    return false;
  }
  const next = (check?.last ?? -1) + 1;
  const read = parsed(line, next);
  if (read['object'] === 'start') begin(state, read, options);
  else if (!check) throw new BrokenLog('unreadable', 0, 'The export does not begin with its first line.');
  else if (read['object'] === 'end') {
    const { count, signedCheckpoint, hasMore, headSequence, headHash } = readAs(exportEndSchema, read, next);
    check.takeCount(count);
    if (!hasMore && !state.isFiltered) check.takeHead(headSequence, headHash);
    if (signedCheckpoint !== null) check.takeCheckpoint(signedCheckpoint);
    state.isWhole = !hasMore;
    return true;
  } else if (read['object'] !== 'checkpoint') check.take(rewritten(read, next));
  return false;
}

/** An export that goes on after a cut has a first line of its own. */
function begin(state: State, line: Readonly<Record<string, unknown>>, options: Options): void {
  const { check } = state;
  const format = line['format'];
  if (typeof format === 'number' && format > exportFormat) {
    state.newerFormat = format;
    return;
  }
  const start = readStart(line, (check?.last ?? -1) + 1);
  const { genesis, place, filters } = start;
  const { after, previousHash, headSequence } = place;
  state.isFiltered ||= filters.length > 0;
  if (check) {
    if (genesis.chain !== check.chain) {
      throw new BrokenLog('gap', check.last + 1, 'The export goes on in another log than it was cut off.');
    }
    check.goOn(place, headSequence);
    return;
  }
  if (start.register) {
    const log = { chain: genesis.chain, genesisHash: genesisHash(genesis) };
    state.proved = checkExportedRegister(start.register, log, options);
  }
  const own = ownAnchors(genesis.chain, state.proved, options);
  state.isAnchored = own.length > 0;
  const anchors = keptOf(own, state.proved?.restores ?? []);
  const { keys } = options;
  state.check = new ChainCheck({ genesis, after, previousHash, hasGaps: state.isFiltered, keys, anchors });
  state.check.beginPart(headSequence);
}

function readStart(line: Readonly<Record<string, unknown>>, next: number): ExportStart {
  if ('format' in line) return readAs(exportStartSchema, line, next);
  const { after, previousHash, ...start } = readAs(firstExportStartSchema, line, next);
  return { ...start, format: exportFormat, place: { after, previousHash, headSequence: 0 } };
}

/** The checkpoints of the log, among those of all. Throws where the log is not the one that was asked for. */
function ownAnchors(chain: string, proved: ProvedLog | undefined, options: Options): readonly string[] {
  const { anchors, kept, environment } = options;
  if (proved && environment !== undefined && proved.environment !== environment) {
    throw new BrokenLog(
      'register',
      0,
      `The register says that this is the log of ${proved.environment ?? 'the project'}.`,
    );
  }
  const notes = kept === undefined ? anchors : [...anchors, kept];
  const isOwn = (note: string) => readAnchor(note)?.chain === chain;
  if (!notes.every((note) => readAnchor(note))) {
    throw new BrokenLog('checkpoint', 0, 'A checkpoint that was kept cannot be read.');
  }
  const before = kept === undefined ? undefined : readCheckpoint(kept);
  if (before && before.chain !== chain && !isBehindBackup(before, proved?.restoresOfAll ?? [])) {
    throw new BrokenLog('register', 0, 'The log was replaced: it is another one than the log that was verified last.');
  }
  return notes.filter(isOwn);
}

/** A row of an export or of a file of a segment. `undefined` for one that comes again. Throws a `BrokenLog`. */
export function takeRow(check: ChainCheck, [line, act]: ReadLine): CheckedPlace | undefined {
  const next = check.last + 1;
  return act ? check.takeAct(act) : check.take(cutRow(line) ?? rewritten(parsed(line, next), next));
}

const hashName = ',"hash":"';
const previousHashName = '","previousHash":"';
/** How many characters `,"hash":"<64>","previousHash":"<64>"}` is. */
const hashesLength = hashName.length + 64 + previousHashName.length + 64 + 2;

/** A row without values: its body, and both hashes at its end. */
function cutRow(line: string): CheckedRow | undefined {
  const end = line.length - hashesLength;
  const [hashAt, nextAt] = [end + hashName.length, end + hashName.length + 64];
  const isRow = line.startsWith(hashName, end) && line.startsWith(previousHashName, nextAt) && line.endsWith('"}');
  // Values have their salts behind them.
  if (!isRow || line[end - 1] === '}') return undefined;
  const [hash, previousHash] = [line.slice(hashAt, nextAt), line.slice(nextAt + previousHashName.length, -2)];
  return { body: `${line.slice(0, end)}}`, hash, previousHash };
}

/** Another row, such as one that another program wrote again, in the form that was hashed. */
function rewritten({ hash, previousHash, ...row }: Readonly<Record<string, unknown>>, next: number): CheckedRow {
  return { ...takeOutValues(row, next), hash: String(hash), previousHash: String(previousHash) };
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
