import { type Genesis, genesisHash } from '#contracts/audit/chain';
import { ChainCheck } from '#contracts/audit/chain-check';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import type { AuditEntry, RowPlace } from '#contracts/audit/rows';
import { BrokenLog, type Verdict } from '#contracts/audit/verdict';
import type { SqlValue } from '#kernel/ports/sql-row';
import { columnsOf } from './chain-row.ts';

/** A row of a table, by the names of the store. */
export type StoredRow = Readonly<Record<string, SqlValue>>;

interface StoredChainInput {
  /** Its row in `audit_chains`. */
  readonly chain: StoredRow;
  readonly keys: readonly CheckpointKey[];
  /** Checkpoints, those of the store and others. */
  readonly anchors: readonly string[];
  /** The hash before the first row that is left, where rows were removed. */
  readonly hashBefore: string | undefined;
}

/** Checks one chain of a store, row by row, until the first problem. */
export class StoredChainCheck {
  readonly #chain: StoredRow;
  readonly #genesis: Genesis;
  #check: ChainCheck | undefined;
  #problem: Verdict['problem'] = null;
  #hash: string;
  /** How many entries `audit_records` must have. */
  #records = 0;

  constructor({ chain, keys, anchors, hashBefore }: StoredChainInput) {
    this.#chain = chain;
    this.#genesis = JSON.parse(String(chain['genesis'])) as Genesis;
    const previousHash = genesisHash(this.#genesis);
    this.#hash = hashBefore ?? previousHash;
    this.#try(() => {
      const input = { genesis: this.#genesis, after: 0, previousHash, hasGaps: false, keys, anchors };
      this.#check = new ChainCheck(input);
    });
  }

  take(row: StoredRow): void {
    // Rows before it are no part of the log any more, and are about to be removed.
    if (Number(row['sequence']) < Number(this.#chain['first_sequence'])) return;
    this.#try(() => {
      const hash = String(row['hash']);
      const entry = this.#check?.take({ body: String(row['body']), hash, previousHash: this.#hash });
      if (!entry) throw new BrokenLog('order', Number(row['sequence']), `Row ${Number(row['sequence'])} comes twice.`);
      this.#hash = hash;
      compareColumns(entry, row);
      if ('recordIds' in entry) this.#records += new Set(entry.recordIds).size;
    });
  }

  /** @param records how many entries `audit_records` has. */
  finish(records: number): Verdict {
    this.#try(() => {
      const check = this.#check;
      const size = Number(this.#chain['head_sequence']);
      if (check && check.last !== size) {
        throw new BrokenLog('truncated', check.last + 1, `The log has ${size} rows, and ends with row ${check.last}.`);
      }
      check?.finish(true);
      if (this.#hash !== this.#chain['head_hash']) {
        throw new BrokenLog('truncated', size, `Row ${size} is not the head of the log.`);
      }
      if (records !== this.#records) {
        throw new BrokenLog(
          'column',
          0,
          `${this.#records} records are named by the rows, and ${records} are found by them.`,
        );
      }
    });
    return this.#verdict();
  }

  #verdict(): Verdict {
    const check = this.#check;
    const missing = check?.signed ? [] : ['No checkpoint is there that the key of the platform has signed.'];
    return {
      outcome: this.#problem ? 'broken' : missing.length > 0 ? 'unverifiable' : 'holds',
      chain: this.#genesis.chain,
      rows: check?.rows ?? 0,
      first: check?.first ?? null,
      last: check && check.rows > 0 ? check.last : null,
      problem: this.#problem,
      missing,
      checkpoint: check?.signed?.note ?? null,
    };
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

/** Rows are found by columns that only the store has; they must say what the row says. */
function compareColumns(entry: AuditEntry & RowPlace, row: StoredRow): void {
  const date = new Date(entry.createdAt);
  const { kind, id, part, type, action, initiator, userId, userEmail, team, collection, status, correlationId } =
    columnsOf(entry, entry);
  const expected: StoredRow = {
    sequence: entry.sequence,
    month: date.getUTCFullYear() * 100 + date.getUTCMonth() + 1,
    created_at: date.getTime(),
    ...{ kind, id, part, type, action, initiator, team, collection, status },
    user_id: userId,
    user_email: userEmail,
    correlation_id: correlationId,
  };
  const wrong = Object.entries(expected).find(([name, value]) => row[name] !== value);
  if (!wrong) return;
  const [name, value] = wrong;
  throw new BrokenLog(
    'column',
    entry.sequence,
    `Row ${entry.sequence} is found by ${name} ${JSON.stringify(row[name])}, and says ${JSON.stringify(value)}.`,
  );
}
