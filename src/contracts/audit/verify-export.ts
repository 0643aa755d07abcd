import * as z from 'zod';
import { type ActLine, readActLines } from './act-line.ts';
import type { ReadStretch } from './act-stretch.ts';
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
import type { VerifiedPart } from './verified-part.ts';

export interface VerifyOptions {
  /** Public keys of the platform that are known from elsewhere than the export. */
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints that are kept elsewhere, of this log, of the register and of other logs. */
  readonly anchors?: readonly string[];
  /** The checkpoint that was verified last of the log that is asked for: it belongs to this one. */
  readonly kept?: string | undefined;
  /** Name of the environment whose log it must be, `null` for the log of a project. Checked where the export has a register. */
  readonly environment?: string | null | undefined;
  /** What an earlier verification of the same log has seen, on the machine of whoever verifies. This one goes on behind it. */
  readonly before?: VerifiedPart | undefined;
}

type Options = Required<Pick<VerifyOptions, 'keys' | 'anchors'>> & Omit<VerifyOptions, 'keys' | 'anchors'>;

/** A line without its end, or lines of which a thread has verified what it can. */
export type Line = string | ReadStretch;

/** All lines, or some at a time. A wait for each would take as long as a hash. */
export type Lines<Each extends Line = Line> = readonly Each[] | AsyncIterable<readonly Each[]>;

const linesReadTogether = 64;

export function readParts<Each extends Line>(
  lines: Lines<Each>,
): AsyncIterable<readonly Each[]> | Iterable<readonly Each[]> {
  return Symbol.asyncIterator in lines ? lines : [lines];
}

/** Hands over all lines but empty ones, until `take` says that no more is wanted. Some are read together. A generator would cost half a hash for each. */
export function takeLines(
  part: readonly Line[],
  take: (read: string | ReadStretch, act: ActLine | undefined) => boolean,
): void {
  for (let at = 0; at < part.length; at += linesReadTogether) {
    const together = part.slice(at, at + linesReadTogether);
    const acts = readActLines(together.map((line) => (typeof line === 'string' ? line : '')));
    for (let index = 0; index < together.length; index++) {
      const line = together[index] ?? '';
      if (line !== '' && !take(line, acts[index])) return;
    }
  }
}

/**
 * Verify an export of the audit log, line by line, from the published format only. It looks at the hash, the order and the time
 * of every row, the signed checkpoints and tombstones, and the checkpoints that somebody kept elsewhere.
 */
export async function verifyExport(lines: Lines, options: VerifyOptions): Promise<Verdict> {
  const verification = new ExportVerification(options);
  for await (const part of readParts(lines)) if (!verification.take(part)) break;
  return verification.verdict();
}

/** The same, part by part. */
export class ExportVerification {
  readonly #options: Options;
  #check: ChainCheck | undefined;
  /** What the register of the platform says of the log. */
  #proved: ProvedLog | undefined;
  /** The checkpoints that were kept of this log. */
  #own: readonly string[] = [];
  /** Those among them that somebody gave, and not what the last run has kept. */
  #given: readonly { readonly size: number; readonly name: string }[] = [];
  #genesis: Genesis | undefined;
  #isFiltered = false;
  #isWhole = false;
  #isCut = true;
  /** The format of the export, where this version does not know it. */
  #newerFormat: number | undefined;
  #problem: Verdict['problem'] = null;

  constructor({ keys, anchors = [], ...options }: VerifyOptions) {
    this.#options = { keys, anchors, ...options };
    const { before } = options;
    if (before) this.#try(() => this.#goOnBehind(before));
  }

  /** How many rows were verified. */
  get rows(): number {
    return this.#check?.rows ?? 0;
  }

  /** Take the next lines. False when no later one can change the verdict. */
  take(part: readonly Line[]): boolean {
    return this.#try(() => {
      takeLines(part, this.#takeRead);
    });
  }

  /** No line is left. */
  verdict(): Verdict {
    if (this.#newerFormat !== undefined) return newerVerdict(this.#newerFormat);
    this.#try(() => {
      if (!this.#check) throw new BrokenLog('unreadable', 0, 'The export has no first line.');
      this.#check.finish(!this.#isCut && this.#isWhole);
    });
    const [check, proved] = [this.#check, this.#proved];
    const restored = newestRestore(proved?.restores ?? []);
    const verdict = verdictOf(check, { problem: this.#problem, missing: this.#missing(), restored });
    const { before } = this.#options;
    return {
      ...verdict,
      ...(proved ? { register: proved.register } : {}),
      ...(before ? { earlier: { to: before.chain.last, at: before.at } } : {}),
    };
  }

  /** What a later verification goes on behind; `undefined` where it cannot. @param at of now, ISO 8601. */
  part(at: string): VerifiedPart | undefined {
    const [chain, genesis] = [this.#check?.seen(), this.#genesis];
    if (!chain || !genesis || this.#problem || this.#newerFormat !== undefined) return undefined;
    const proved = this.#proved ?? null;
    return {
      ...{ object: 'verifiedPart', version: 1, genesis, chain, isFiltered: this.#isFiltered },
      ...{ isCut: this.#isCut, isWhole: this.#isWhole },
      proved: proved && { ...proved, restores: [...proved.restores], restoresOfAll: [...proved.restoresOfAll] },
      keys: this.#options.keys.map(({ verifier }) => verifier),
      ...{ compared: [...this.#compared(chain.last)], at },
    };
  }

  #try(work: () => void): boolean {
    if (this.#problem || this.#newerFormat !== undefined) return false;
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      this.#problem = error.problem;
    }
    return !this.#problem && this.#newerFormat === undefined;
  }

  #missing(): readonly string[] {
    const { keys, anchors, before } = this.#options;
    const compared = new Set(before?.compared);
    const isCompared = !before || this.#given.every(({ size, name }) => size > before.chain.last || compared.has(name));
    return [
      ...(this.#isCut ? ['The export was cut off: its last line is missing.'] : []),
      ...(!this.#isCut && !this.#isWhole ? ['The export ends before the log does.'] : []),
      ...(this.#isFiltered ? ['The export has filters, so that rows are missing on purpose.'] : []),
      ...(keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : []),
      ...(keys.length > 0 && !this.#check?.signed ? ['No checkpoint is there that a known key has signed.'] : []),
      ...(anchors.length > 0 && this.#own.length === 0 && !this.#proved?.isAnchored
        ? ['None of the checkpoints that were kept is of this log or of the register of its platform.']
        : []),
      ...(isCompared ? [] : ['Checkpoints are of rows that an earlier run has verified without them.']),
    ];
  }

  /** The checkpoints that the rows up to `last` were compared with, by this run and by the one before. */
  #compared(last: number): ReadonlySet<string> {
    const own = this.#given.filter(({ size }) => size <= last).map(({ name }) => name);
    return new Set([...(this.#options.before?.compared ?? []), ...own]);
  }

  #goOnBehind({ genesis, chain, proved, isFiltered, isCut, isWhole }: VerifiedPart): void {
    this.#proved = proved ?? undefined;
    [this.#isFiltered, this.#isCut, this.#isWhole] = [isFiltered, isCut, isWhole];
    this.#begin(genesis, { after: chain.last, previousHash: chain.hash });
  }

  readonly #takeRead = (read: string | ReadStretch, act: ActLine | undefined): boolean => {
    if (typeof read === 'string') this.#isCut = !this.#takeLine(read, act);
    else {
      this.#isCut = true;
      if (!this.#check?.takeStretch(read.stretch)) takeLines(read.lines(), this.#takeRead);
    }
    return this.#newerFormat === undefined;
  };

  /** Whether the line is the last one of a whole export. */
  #takeLine(line: string, act: ActLine | undefined): boolean {
    const check = this.#check;
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
    if (read['object'] === 'start') this.#takeStart(read);
    else if (!check) throw new BrokenLog('unreadable', 0, 'The export does not begin with its first line.');
    else if (read['object'] === 'end') {
      const { count, signedCheckpoint, hasMore, headSequence, headHash } = readAs(exportEndSchema, read, next);
      check.takeCount(count);
      if (!hasMore && !this.#isFiltered) check.takeHead(headSequence, headHash);
      if (signedCheckpoint !== null) check.takeCheckpoint(signedCheckpoint);
      this.#isWhole = !hasMore;
      return true;
    } else if (read['object'] !== 'checkpoint') check.take(rewritten(read, next));
    return false;
  }

  /** An export that goes on after a cut has a first line of its own. */
  #takeStart(line: Readonly<Record<string, unknown>>): void {
    const check = this.#check;
    const format = line['format'];
    if (typeof format === 'number' && format > exportFormat) {
      this.#newerFormat = format;
      return;
    }
    const start = readStart(line, (check?.last ?? -1) + 1);
    const { genesis, place, filters } = start;
    this.#isFiltered ||= filters.length > 0;
    if (check) {
      if (genesis.chain !== check.chain) {
        throw new BrokenLog('gap', check.last + 1, 'The export goes on in another log than it was cut off.');
      }
      check.goOn(place, place.headSequence);
      return;
    }
    if (start.register) {
      const log = { chain: genesis.chain, genesisHash: genesisHash(genesis) };
      this.#proved = checkExportedRegister(start.register, log, this.#options);
    }
    this.#begin(genesis, place).beginPart(place.headSequence);
  }

  #begin(genesis: Genesis, place: Pick<ExportStart['place'], 'after' | 'previousHash'>): ChainCheck {
    const { keys, anchors: given, before } = this.#options;
    this.#own = ownAnchors(genesis.chain, this.#proved, this.#options);
    this.#given = given.flatMap((note) => {
      const said = readAnchor(note);
      return said?.chain === genesis.chain ? [{ size: said.size, name: `${said.size} ${said.hash}` }] : [];
    });
    this.#genesis = genesis;
    const anchors = keptOf(this.#own, this.#proved?.restores ?? []);
    this.#check = new ChainCheck({
      ...{ genesis, after: place.after, previousHash: place.previousHash },
      ...{ hasGaps: this.#isFiltered, keys, anchors, before: before?.chain },
    });
    return this.#check;
  }
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
  return hasNothing(log) ? emptyLog : verifyExport(lines, optionsOf(log));
}

/** Whether the platform has no such log, and nothing says that there was one. */
export function hasNothing({ integrity, kind, environment, kept, anchors = [], before }: PlatformLog): boolean {
  const isThere = integrity.chains.some((each) => each.kind === kind && each.environment === environment);
  return !isThere && kept === undefined && anchors.length === 0 && before === undefined;
}

/** How a log of a platform is verified. */
export function optionsOf({ integrity, environment, kept, keys, anchors = [], before }: PlatformLog): VerifyOptions {
  // What the platform says of itself is worth no more than the connection to it.
  const trusted = keys.length > 0 ? keys : integrity.keys.map((verifier) => ({ verifier }));
  return { keys: trusted, anchors, kept, environment, before };
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
export function takeRow(check: ChainCheck, line: string, act: ActLine | undefined): CheckedPlace | undefined {
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
    throw new BrokenLog('unreadable', next, `A line is not JSON: ${line.slice(0, 60)}`);
  }
  return readAs(objectSchema, read, next);
}

function readAs<Schema extends z.ZodType>(schema: Schema, read: unknown, next: number): z.output<Schema> {
  const result = schema.safeParse(read);
  if (result.success) return result.data;
  throw new BrokenLog('unreadable', next, 'A line is neither a row nor one that says where to go on.');
}
