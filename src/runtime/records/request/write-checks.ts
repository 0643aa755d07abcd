import type { UndoTies } from '#contracts/history';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext, Unread, UnreadLater } from '../calls/call-context.ts';

/** A field that an update would change. */
interface FieldChange {
  readonly field: string;
  /** Absent for a caller who may not read the record. */
  readonly from?: unknown;
  readonly to: unknown;
}

/** A record that would be created. */
export interface CheckedRecord {
  readonly attributes: RecordData;
  /** Fields without a value that the database demands, unless hooks or handlers give one. */
  readonly missing: readonly string[];
}

/** Records of one collection. */
export interface AffectedRecords {
  readonly collection: string;
  readonly count: number;
}

/** What a deletion would do. */
export interface ForeseenDelete {
  readonly records: number;
  /** Whether the records are gone afterwards, and are not only marked. */
  readonly isFinal: boolean;
  /** Records that the database deletes along. */
  readonly alsoDeleted: readonly AffectedRecords[];
  /** Records that lose their link. */
  readonly unlinked: readonly AffectedRecords[];
  /** Records that keep the database from the deletion. */
  readonly blocking: readonly AffectedRecords[];
  /** Whether that is all. It is not where the caller may not see some of the records, or where there are very many foreign keys. */
  readonly isWhole: boolean;
}

/**
 * Checks of writes that are not made: rights, fields, types and validations. No hook and no write handler runs, so neither their
 * rules nor those of the database are known, nor whether the record stays in the scope of the caller.
 */
export interface WriteChecks {
  /** Asks for the right to add. */
  checkCreate(collection: string, attributes: Unread<RecordData>, context: CallContext): Promise<CheckedRecord>;
  /**
   * Asks for the right to edit. What would change; `null` when there is no such record in scope. A caller without the right to
   * read gets every field that was sent, changed or not.
   */
  checkUpdate(
    collection: string,
    id: Unread<readonly unknown[]>,
    patch: Unread<RecordData>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): Promise<readonly FieldChange[] | null>;
  /** Asks for the right to delete. How many records would be deleted. */
  checkDelete(
    collection: string,
    where: UnreadLater<ConditionTree | undefined>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): Promise<number>;
  /** Asks for the right to delete. What would go along, as far as the caller may see it. */
  foreseeDelete(
    collection: string,
    where: UnreadLater<ConditionTree | undefined>,
    context: CallContext,
  ): Promise<ForeseenDelete>;
  /**
   * Asks for the right to delete. The foreign keys of the database that lead to a record, with the records of others, as far as the caller
   * may list them. None where a deletion only marks the record, or is up to code.
   */
  referringTo(collection: string, id: Unread<readonly unknown[]>, context: CallContext): Promise<UndoTies['referring']>;
  /** Asks for the right to write. The records that foreign keys among the attributes lead to, as far as the caller may list them. */
  targetsOf(
    collection: string,
    attributes: RecordData,
    right: 'add' | 'edit',
    context: CallContext,
  ): Promise<UndoTies['targets']>;
}
