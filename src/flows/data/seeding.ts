import type { SeededRandom } from '#project/index';
import type { RecordStore, TableRules } from '#runtime/index';

/** What records are made with. */
export interface Seeding {
  readonly store: RecordStore;
  readonly random: SeededRandom;
  /** Records to make in each collection. */
  readonly rows: number;
  /** Milliseconds since the epoch; dates are in the year before. */
  readonly now: number;
  readonly rules: ReadonlyMap<string, TableRules>;
  /** The share of records that are marked as deleted, from 0 to 1. */
  readonly deletedShare: number;
  /** How often the database has refused all records by a check that cannot be read. */
  readonly refusals: number;
}
