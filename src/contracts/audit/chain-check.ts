import type { ActLine } from './act-line.ts';
import type { ActStretch } from './act-stretch.ts';
import {
  type Genesis,
  genesisHash,
  type LinkHash,
  leafOf,
  linkHashOf,
  type RegisterGenesis,
  type RowVersion,
} from './chain.ts';
import { type Checkpoint, type CheckpointKey, isSignedBy } from './checkpoint.ts';
import { DisclosureCheck } from './disclosure-check.ts';
import type { Commitments } from './disclosures.ts';
import { type ErasureEntry, erasedRows, isSignedErasure } from './erasure.ts';
import type { RegisterEntry } from './register.ts';
import type { AdminChangeOf, AuditEntry, RowPlace, TombstoneEntry } from './rows.ts';
import { readAnchor } from './segment.ts';
import { BrokenLog, type ClockJump, type Erased } from './verdict.ts';
import type { CheckedChain } from './verified-part.ts';

/** A row as it was stored. */
export interface CheckedRow {
  /** Canonical JSON. */
  readonly body: string;
  readonly hash: string;
  readonly previousHash: string;
  /** The commitments of the values that stand beside the body; none in rows of version 1. */
  readonly disclosed?: Commitments;
}

type Linked = Pick<CheckedRow, 'hash' | 'previousHash'>;

/** What is checked of every row. */
export type CheckedPlace = Omit<RowPlace, 'recordedAt'>;

const nothing: Commitments = {};
const nowhere: readonly Checkpoint[] = [];

export interface ChainCheckInput {
  readonly genesis: Genesis | RegisterGenesis;
  /** The rows begin behind this one; 0 for the whole chain. */
  readonly after: number;
  readonly previousHash: string;
  /** Whether rows are left out on purpose, so that each is checked by itself. */
  readonly hasGaps: boolean;
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints and notes of segments that are kept elsewhere. */
  readonly anchors: readonly string[];
  /** What an earlier check has seen of the rows up to `after`, whose hash is `previousHash`. */
  readonly before?: CheckedChain | undefined;
}

/** Checks the rows of a chain, one after another. Every method throws a `BrokenLog`. */
export class ChainCheck<Entry extends AuditEntry | RegisterEntry = AuditEntry> {
  readonly #input: ChainCheckInput;
  readonly #linkHash: Readonly<Record<RowVersion, LinkHash>>;
  readonly #disclosures: DisclosureCheck;
  /** By the row that they are about. */
  readonly #anchors: ReadonlyMap<number, readonly Checkpoint[]>;
  #hash: string;
  #time = '';
  #version: RowVersion = 1;
  /** The newest row that came again, while an export that goes on after a cut repeats rows. */
  #again: { readonly sequence: number; readonly hash: string } | undefined;
  #rowsOfPart = 0;
  #count: number | undefined;
  /** What was removed from the beginning, until a tombstone says so. */
  #removed: { readonly to: number; readonly hash: string } | undefined;
  first: number | null = null;
  last: number;
  rows = 0;
  /** SHA-256 of 0 and the body of the last row. */
  leaf: string | undefined;
  /** When the clock of the platform went back, as the rows say. */
  readonly clockJumps: ClockJump[] = [];
  /** What was erased of people, as signed rows say. */
  readonly erasures: Erased[] = [];
  /** The newest checkpoint that fits and is signed by a known key. */
  signed: { readonly size: number; readonly note: string } | undefined;

  get chain(): string {
    return this.#input.genesis.chain;
  }

  constructor(input: ChainCheckInput) {
    const { genesis, after, previousHash, before } = input;
    this.#input = input;
    this.#disclosures = new DisclosureCheck(before);
    if (after === 0 && previousHash !== genesisHash(genesis)) {
      throw new BrokenLog('genesis', 0, 'The first hash is not the one of the genesis.');
    }
    this.#linkHash = { 1: linkHashOf(genesis.chain, 1), 2: linkHashOf(genesis.chain, 2) };
    const anchors = input.anchors.map((note) => this.#signedCheckpoint(note, 'A checkpoint that was kept'));
    this.#anchors = Map.groupBy(anchors, ({ size }) => size);
    if (after === 0) for (const anchor of this.#anchors.get(0) ?? []) compare(anchor, previousHash);
    this.#hash = previousHash;
    this.last = after;
    if (before) this.#goOnBehind(before);
  }

  #goOnBehind({ first, rows, time, version, rowsOfPart, removed, signed, clockJumps, erasures }: CheckedChain): void {
    [this.first, this.rows, this.#rowsOfPart] = [first, rows, rowsOfPart];
    [this.#time, this.#version] = [time, version];
    this.#removed = removed ?? undefined;
    if (signed && signed.size >= (this.signed?.size ?? 0)) this.signed = signed;
    this.clockJumps.push(...clockJumps);
    this.erasures.push(...erasures);
  }

  /** What has to be known to go on behind the last row; `undefined` while rows come again. */
  seen(): CheckedChain | undefined {
    if (this.#again) return undefined;
    return {
      ...{ first: this.first, last: this.last, rows: this.rows, hash: this.#hash, time: this.#time },
      ...{ version: this.#version, rowsOfPart: this.#rowsOfPart, removed: this.#removed ?? null },
      ...{ signed: this.signed ?? null, clockJumps: [...this.clockJumps], erasures: [...this.erasures] },
      ...this.#disclosures.seen(),
    };
  }

  /** The next rows were read when the log had `size` rows. */
  beginPart(size: number): void {
    this.#rowsOfPart = 0;
    this.#count = undefined;
    this.#disclosures.begin(this.last + 1, size);
  }

  /** An export goes on behind a row that was taken, or behind the last one. The rows after it come again. */
  goOn({ after, previousHash }: Pick<ChainCheckInput, 'after' | 'previousHash'>, size: number): void {
    if (after > this.last) {
      throw new BrokenLog('gap', this.last + 1, 'The export goes on elsewhere than it was cut off.');
    }
    if (after === this.last && previousHash !== this.#hash) throw notTheSame(this.last, after);
    this.#again = after < this.last ? { sequence: after, hash: previousHash } : undefined;
    this.beginPart(size);
  }

  take(checked: CheckedRow): (Entry & RowPlace) | undefined {
    const row = parsedRow<Entry>(checked.body, this.last + 1);
    const leaf = leafOf(checked.body);
    const version = row.version === 2 ? 2 : 1;
    const linkHash = this.#linkHash[version](row.sequence, checked.previousHash, leaf);
    const isNext = this.#isNext(row, checked, { leaf, linkHash });
    const committed = 'committed' in row ? row.committed : undefined;
    this.#disclosures.take(row.sequence, version === 2 ? committed : undefined, checked.disclosed ?? nothing);
    if (!isNext) return undefined;
    if (row.object === 'tombstone') this.#takeTombstone(row);
    if (row.object === 'erasure') this.#takeErasure(row);
    if (row.object === 'adminLog' && row.resource === 'clock') this.#takeClock(row);
    this.#advance(row, checked.hash);
    return row;
  }

  /** The same of an act whose line was read without a parser. */
  takeAct(act: ActLine): CheckedPlace | undefined {
    if (!this.#isNext(act, act, act)) return undefined;
    this.#advance(act, act.hash);
    return act;
  }

  /** Acts that were verified together. False where they do not join, and nothing is taken: their lines tell what is wrong. */
  takeStretch({ chain, first, last, previousHash, hash, from, to }: ActStretch): boolean {
    const isNext = !this.#again && chain === this.chain && first === this.last + 1;
    if (!isNext || previousHash !== this.#hash || from <= this.#time) return false;
    for (let sequence = first; sequence < last; sequence++) if (this.#anchors.has(sequence)) return false;
    if (this.#anchors.get(last)?.some((anchor) => anchor.hash !== hash)) return false;
    this.first ??= first;
    this.rows += last - first + 1;
    this.#rowsOfPart += last - first + 1;
    [this.last, this.#hash, this.#time, this.#version] = [last, hash, to, 2];
    return true;
  }

  /** Whether a row is the next one, and not one that comes again. Throws where it is not what it says. */
  #isNext(place: CheckedPlace, { hash, previousHash }: Linked, found: Pick<ActLine, 'leaf' | 'linkHash'>): boolean {
    const { sequence } = place;
    const next = this.last + 1;
    this.#rowsOfPart++;
    if (this.#again) {
      this.#again = this.#takeAgain(this.#again, sequence, { hash, previousHash }, found.linkHash);
      return false;
    }
    if (place.chain !== this.#input.genesis.chain)
      throw new BrokenLog('order', next, 'A row belongs to another chain.');
    if (sequence === next ? previousHash !== this.#hash : sequence < next) {
      throw new BrokenLog('order', next, `Row ${next} is not linked to the one before it.`);
    }
    if (sequence > next) this.#skipTo(sequence, previousHash);
    const version = place.version === 2 ? 2 : 1;
    this.leaf = found.leaf;
    if (found.linkHash !== hash) {
      throw new BrokenLog('hash', sequence, `Row ${sequence} was changed: its hash does not fit.`);
    }
    if (place.createdAt <= this.#time) {
      throw new BrokenLog('time', sequence, `Row ${sequence} is not later than the one before it.`);
    }
    if (version < this.#version) {
      throw new BrokenLog('format', sequence, `Row ${sequence} is written by older rules than the row before it.`);
    }
    this.#version = version;
    return true;
  }

  /**
   * Rows that come again lead from where the export went on to the last row that was taken, and end with its hash. So they are the same.
   *
   * @returns the row, until the last one has come again
   */
  #takeAgain(
    before: { readonly sequence: number; readonly hash: string },
    sequence: number,
    { hash, previousHash }: Linked,
    linkHash: string,
  ): { readonly sequence: number; readonly hash: string } | undefined {
    const isLinked = this.#input.hasGaps
      ? sequence > before.sequence
      : sequence === before.sequence + 1 && previousHash === before.hash;
    const isSame = sequence < this.last || (sequence === this.last && hash === this.#hash);
    if (!isLinked || !isSame || linkHash !== hash) throw notTheSame(this.last, sequence);
    return sequence === this.last ? undefined : { sequence, hash };
  }

  #advance({ sequence, createdAt }: CheckedPlace, hash: string): void {
    for (const anchor of this.#anchors.get(sequence) ?? nowhere) compare(anchor, hash);
    this.first ??= sequence;
    this.last = sequence;
    this.#hash = hash;
    this.#time = createdAt;
    this.rows++;
  }

  /** @param isWhole whether the rows go on to the end of the chain. */
  finish(isWhole: boolean): void {
    if (this.#removed && this.#input.keys.length > 0) {
      const { to } = this.#removed;
      throw new BrokenLog('removed', 1, `The rows up to ${to} are missing, and no signed tombstone says so.`);
    }
    if (isWhole && !this.#input.hasGaps) this.#disclosures.finish();
    const longest = Math.max(0, ...this.#anchors.keys());
    if (longest > this.last && isWhole && !this.#input.hasGaps) {
      throw new BrokenLog(
        'truncated',
        this.last + 1,
        `The log had ${longest} rows once, and ends with row ${this.last} now.`,
      );
    }
    if (this.#again && isWhole) throw notTheSame(this.last, this.#again.sequence + 1);
    if (this.#count === undefined || this.#count === this.#rowsOfPart) return;
    throw new BrokenLog(
      'truncated',
      this.last + 1,
      `The export says that it has ${this.#count} rows, and has ${this.#rowsOfPart}.`,
    );
  }

  /** How many rows the export says that its last part has. What is missing is named before that. */
  takeCount(count: number): void {
    this.#count = count;
  }

  /** Where the chain says that it ends. */
  takeHead(size: number, hash: string): void {
    if (this.last !== size) {
      throw new BrokenLog('truncated', this.last + 1, `The log has ${size} rows, and ends with row ${this.last}.`);
    }
    if (this.#hash !== hash) throw new BrokenLog('truncated', size, `Row ${size} is not the head of the log.`);
  }

  /** A checkpoint of the platform that comes with the rows. */
  takeCheckpoint(note: string): void {
    const checkpoint = this.#signedCheckpoint(note, 'The checkpoint');
    if (checkpoint.size === this.last) compare(checkpoint, this.#hash);
    else if (checkpoint.size > this.last && !this.#input.hasGaps) {
      throw new BrokenLog('truncated', this.last + 1, `Rows up to ${checkpoint.size} were signed, and are missing.`);
    }
  }

  #skipTo(sequence: number, previousHash: string): void {
    if (this.#input.hasGaps) return;
    if (this.rows > 0 || this.#input.after > 0) {
      throw new BrokenLog('gap', this.last + 1, `Row ${this.last + 1} is missing.`);
    }
    this.#removed = { to: sequence - 1, hash: previousHash };
  }

  #takeTombstone({ to, checkpoint, ...row }: TombstoneEntry & RowPlace): void {
    const removed = this.#signedCheckpoint(checkpoint, `The tombstone in row ${row.sequence}`);
    if (removed.size !== to) {
      throw new BrokenLog(
        'removed',
        row.sequence,
        `The tombstone in row ${row.sequence} does not say what was removed.`,
      );
    }
    if (this.#removed?.to === to && this.#removed.hash === removed.hash) this.#removed = undefined;
  }

  #takeErasure(row: ErasureEntry & RowPlace): void {
    const { genesis, keys } = this.#input;
    if (keys.length > 0 && !isSignedErasure(genesis.chain, row, keys)) {
      throw new BrokenLog('signature', row.sequence, `The platform has not signed the erasure in row ${row.sequence}.`);
    }
    this.#disclosures.takeErasure(row, row.sequence, this.first ?? row.sequence);
    const { by = null, reference = null, at } = row;
    const same = this.erasures.at(-1);
    const rows = erasedRows(row);
    if (same?.by === by && same.reference === reference) {
      this.erasures[this.erasures.length - 1] = { ...same, to: at, rows: same.rows + rows };
    } else this.erasures.push({ by, reference, from: at, to: at, rows });
  }

  #takeClock({ previousValue, newValue }: Readonly<AdminChangeOf<'clock'>>): void {
    if (!previousValue || !newValue) return;
    this.clockJumps.push({ log: newValue.log, from: previousValue.at, to: newValue.at });
  }

  #signedCheckpoint(note: string, what: string): Checkpoint {
    const { genesis, keys } = this.#input;
    const checkpoint = readAnchor(note);
    if (!checkpoint) throw new BrokenLog('checkpoint', 0, `${what} cannot be read.`);
    if (checkpoint.chain !== genesis.chain) throw new BrokenLog('checkpoint', 0, `${what} belongs to another chain.`);
    // Without a key, nothing is proven anyhow.
    if (keys.length === 0) return checkpoint;
    if (!isSignedBy(note, keys))
      throw new BrokenLog('signature', checkpoint.size, `${what} is not signed by a known key.`);
    if (checkpoint.size >= (this.signed?.size ?? 0)) this.signed = { size: checkpoint.size, note };
    return checkpoint;
  }
}

function notTheSame(last: number, sequence: number): BrokenLog {
  return new BrokenLog('order', last + 1, `Row ${sequence} comes again, and is not the same.`);
}

function compare({ size, hash }: Checkpoint, found: string): void {
  if (hash !== found) throw new BrokenLog('checkpoint', size, `Row ${size} is not the one that was signed.`);
}

function parsedRow<Entry>(body: string, next: number): Entry & RowPlace {
  try {
    const row = JSON.parse(body) as Entry & RowPlace;
    if (Number.isSafeInteger(row.sequence) && typeof row.createdAt === 'string') return row;
  } catch {
    // Told below.
  }
  throw new BrokenLog('unreadable', next, `Row ${next} cannot be read.`);
}
