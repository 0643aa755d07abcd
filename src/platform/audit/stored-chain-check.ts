import { type Genesis, genesisHash } from '#contracts/audit/chain';
import { ChainCheck } from '#contracts/audit/chain-check';
import { type CheckpointKey, readCheckpoint } from '#contracts/audit/checkpoint';
import { type Commitments, commitmentsOf, type Disclosures } from '#contracts/audit/disclosures';
import { keptOf, newestRestore, type RestoreEntry } from '#contracts/audit/register';
import type { AuditEntry, AuditUser, RowPlace } from '#contracts/audit/rows';
import { BrokenLog, type Verdict, verdictOf } from '#contracts/audit/verdict';
import type { SqlValue } from '#kernel/ports/sql-row';
import { sha256Hex } from '#node/system/digest';
import { columnsOf, type ReadEntry } from './chain-row.ts';
import { EntrySums } from './entry-sums.ts';
import { placeOfKept } from './personal-places.ts';
import { objectIn, type StoredRow, text } from './stored-row.ts';
import { StoredSegmentsCheck, type StoredSegmentsInput } from './stored-segments-check.ts';

interface StoredChainInput {
  /** Its row in `audit_chains`. */
  readonly chain: StoredRow;
  readonly keys: readonly CheckpointKey[];
  /** Its rows in `audit_checkpoints`. */
  readonly checkpoints: readonly StoredRow[];
  /** Its checkpoints that are kept elsewhere. */
  readonly anchors: readonly string[];
  /** Its restores, each signed. */
  readonly restores: readonly RestoreEntry[];
  readonly followUps: FollowUps;
  /** The months that the store has. */
  readonly months: ReadonlySet<SqlValue>;
  readonly segments: Omit<StoredSegmentsInput, 'chain' | 'keys'>;
}

/** What is known of a chain before its rows are read. */
export interface FollowUps {
  /** The acts that later rows add records to. */
  readonly continued: ReadonlySet<number>;
  /** What the newest tombstone says: the rows up to `to` were removed. */
  readonly removed: { readonly to: number; readonly hash: string } | undefined;
}

/** Checks one chain of a store, row by row, until the first problem. */
export class StoredChainCheck {
  readonly #input: StoredChainInput;
  readonly #genesis: Genesis | undefined;
  readonly #records = new EntrySums();
  readonly #outcomes = new EntrySums();
  readonly #values = new EntrySums();
  /** The records of the acts that are in several rows: an entry is there once. */
  readonly #named = new Set<string>();
  #check: ChainCheck | undefined;
  #segments: StoredSegmentsCheck | undefined;
  #problem: Verdict['problem'] = null;
  #hash = '';
  #newest: (AuditEntry & RowPlace) | undefined;

  constructor(input: StoredChainInput) {
    const { chain, keys, checkpoints, anchors, restores, followUps } = input;
    this.#input = input;
    this.#genesis = genesisOf(chain);
    this.#try(() => {
      if (!this.#genesis) throw new BrokenLog('genesis', 0, 'The beginning of the log cannot be read.');
      const previousHash = genesisHash(this.#genesis);
      this.#hash = followUps.removed?.hash ?? previousHash;
      const own = checkpoints.map(noteOf);
      this.#check = new ChainCheck({
        genesis: this.#genesis,
        after: 0,
        previousHash,
        hasGaps: false,
        keys,
        anchors: [...own, ...keptOf(anchors, restores)],
      });
      const first = Number(chain['first_sequence']);
      if (first !== (followUps.removed?.to ?? 0) + 1) {
        throw new BrokenLog('removed', first, `The log begins with row ${first}, and no tombstone says so.`);
      }
      this.#segments = new StoredSegmentsCheck({ chain, keys, ...input.segments });
    });
  }

  /** An entry of `audit_nodes`. They come before the rows. */
  takeNode(row: StoredRow): void {
    this.#try(() => this.#segments?.takeNode(row));
  }

  take(row: StoredRow): void {
    if (this.#isRemoved(row)) return;
    this.#try(() => {
      const [body, hash] = [text(row, 'body'), text(row, 'hash')];
      const json = row['disclosed'] === undefined || row['disclosed'] === null ? null : text(row, 'disclosed');
      const disclosed: Commitments = commitmentsOf(json, Number(row['sequence']));
      const entry = this.#check?.take({ body, hash, previousHash: this.#hash, disclosed });
      if (!entry) throw new BrokenLog('order', Number(row['sequence']), `Row ${Number(row['sequence'])} comes twice.`);
      this.#compareColumns(json === null ? entry : { ...entry, ...userIn(json) }, row);
      this.#expectEntries(entry);
      this.#expectValues(entry, json);
      this.#takeIntoSegment(entry, hash);
      this.#hash = hash;
      this.#newest = entry;
    });
  }

  /** An entry of `audit_records`. */
  takeRecord(row: StoredRow): void {
    if (!this.#isRemoved(row))
      this.#records.find(Number(row['sequence']), [text(row, 'record_id'), text(row, 'collection')]);
  }

  /** An entry of `audit_outcomes`. */
  takeOutcome(row: StoredRow): void {
    if (!this.#isRemoved(row)) {
      this.#outcomes.find(Number(row['sequence']), [text(row, 'status'), Number(row['reported_in'])]);
    }
  }

  /** An entry of `audit_values`. */
  takeValues(row: StoredRow): void {
    if (this.#isRemoved(row)) return;
    const entry = [
      Number(row['place']),
      Number(row['act_sequence']),
      text(row, 'record_id'),
      sha256Hex(text(row, 'sealed')),
    ];
    this.#values.find(Number(row['sequence']), entry);
  }

  #takeIntoSegment({ sequence, createdAt }: RowPlace, hash: string): void {
    const leaf = this.#check?.leaf;
    const month = monthOf(Date.parse(createdAt));
    if (leaf) this.#segments?.takeRow({ sequence, month, leaf, hash, previousHash: this.#hash });
  }

  finish(): Verdict {
    this.#try(() => {
      const { chain } = this.#input;
      const check = this.#check;
      const size = Number(chain['head_sequence']);
      check?.takeHead(size, text(chain, 'head_hash'));
      check?.finish(true);
      const createdAt = this.#newest ? Date.parse(this.#newest.createdAt) : 0;
      if (chain['head_created_at'] !== createdAt || chain['head_month'] !== (createdAt && monthOf(createdAt))) {
        throw new BrokenLog('column', size, 'The log says another time of its last row than the row.');
      }
      compareSums(this.#records, 'records');
      compareSums(this.#outcomes, 'outcomes');
      compareSums(this.#values, 'values');
      this.#segments?.finish();
    });
    return this.#verdict();
  }

  /** Rows before the first one are not part of the log any more, and are about to be removed. */
  #isRemoved(row: StoredRow): boolean {
    return Number(row['sequence']) < Number(this.#input.chain['first_sequence']);
  }

  #expectEntries(entry: AuditEntry & RowPlace): void {
    const { continued } = this.#input.followUps;
    const act = 'actSequence' in entry ? entry.actSequence : entry.sequence;
    if (this.#isRemoved({ sequence: act })) return;
    if (entry.object === 'activityLogOutcome') this.#outcomes.expect(act, [entry.status, entry.sequence]);
    if (!('recordIds' in entry)) return;
    const collection = entry.collection?.name ?? '';
    for (const recordId of new Set(entry.recordIds)) {
      const name = JSON.stringify([act, recordId, collection]);
      if (this.#named.has(name)) continue;
      if (continued.has(act)) this.#named.add(name);
      this.#records.expect(act, [recordId, collection]);
    }
  }

  /** The values of a row are there, unless they are erased. */
  #expectValues(entry: AuditEntry & RowPlace, disclosed: string | null): void {
    if (entry.object !== 'activityLogRecords' || !entry.kept || disclosed === null) return;
    const digests = JSON.parse(disclosed) as Disclosures;
    for (const [place, recordId] of entry.recordIds.entries()) {
      const digest = digests[placeOfKept(place)]?.[1];
      if (typeof digest === 'string') this.#values.expect(entry.sequence, [place, entry.actSequence, recordId, digest]);
    }
  }

  /** Rows are found by columns that only the store has; they must say what the row says. */
  #compareColumns(entry: ReadEntry & RowPlace, row: StoredRow): void {
    const time = Date.parse(entry.createdAt);
    const { userId, userEmail, correlationId, clientId, clientName, tool, codeVersion, ...same } =
      readableColumns(entry);
    const expected: StoredRow = {
      sequence: entry.sequence,
      month: monthOf(time),
      created_at: time,
      ...same,
      user_id: userId,
      user_email: userEmail,
      correlation_id: correlationId,
      // A store that no newer platform has opened yet has no such columns.
      ...(row['version'] === undefined ? {} : { version: entry.version }),
      ...(row['client_id'] === undefined ? {} : { client_id: clientId, client_name: clientName, tool }),
      ...(row['code_version'] === undefined ? {} : { code_version: codeVersion }),
    };
    const wrong = Object.entries(expected).find(([name, value]) => row[name] !== value);
    if (wrong) {
      const [name, value] = wrong;
      throw new BrokenLog(
        'column',
        entry.sequence,
        `Row ${entry.sequence} is found by ${name} ${String(row[name])}, and says ${String(value)}.`,
      );
    }
    if (!this.#input.months.has(monthOf(time))) {
      throw new BrokenLog('column', entry.sequence, `The month of row ${entry.sequence} is missing in the store.`);
    }
  }

  #verdict(): Verdict {
    const check = this.#check;
    const missing = check?.signed ? [] : ['No checkpoint is there that the key of the platform has signed.'];
    const restored = newestRestore(this.#input.restores);
    const verdict = verdictOf(check, { problem: this.#problem, missing, restored });
    return { ...verdict, chain: this.#genesis?.chain ?? text(this.#input.chain, 'chain') };
  }

  #try(work: () => void): void {
    if (this.#problem) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof BrokenLog)) throw error;
      this.#problem = error.problem;
    }
  }
}

/** Who did it, where that is disclosed: of the values beside a row, only these are columns. */
function userIn(disclosed: string): { readonly user?: AuditUser } {
  const { user } = JSON.parse(disclosed) as Disclosures;
  return user ? { user: user[1] as AuditUser } : {};
}

/** A row that somebody made up may have a right hash and be no entry at all. */
function readableColumns(entry: ReadEntry & RowPlace): ReturnType<typeof columnsOf> {
  try {
    return columnsOf(entry);
  } catch (error) {
    throw new BrokenLog('unreadable', entry.sequence, `Row ${entry.sequence} is not a row of a log: ${String(error)}`);
  }
}

/** The note of a checkpoint in the store, whose columns must say what it says. */
export function noteOf(row: StoredRow): string {
  const note = text(row, 'note');
  const said = readCheckpoint(note);
  if (!said || said.size !== row['size'] || Date.parse(said.at) !== row['at']) {
    throw new BrokenLog(
      'checkpoint',
      Number(row['size']),
      'A checkpoint of the store is found by something else than it says.',
    );
  }
  return note;
}

export function genesisOf(chain: StoredRow): Genesis | undefined {
  const read = objectIn(text(chain, 'genesis'));
  return typeof read?.['chain'] === 'string' ? (read as unknown as Genesis) : undefined;
}

function monthOf(time: number): number {
  const date = new Date(time);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

function compareSums(sums: EntrySums, what: string): void {
  const found = sums.difference();
  if (!found) return;
  const { from, to } = found;
  throw new BrokenLog(
    'column',
    from,
    `The ${what} by which rows ${from} to ${to} are found are not those that the rows say.`,
  );
}
