import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext, Unread, UnreadLater } from '../calls/call-context.ts';

/** A record, and a relation of its collection; published names. */
export interface RelationEnd {
  readonly collection: string;
  /** One value for each key column. */
  readonly id: Unread<readonly unknown[]>;
  readonly relation: string;
}

/** Links between records. Errors are those of `RecordService`. */
export interface LinkService {
  /**
   * Link a record to many: its key is written, or a row is added to the collection in between. Asks for the right to edit
   * the foreign collection. Nothing happens where there is no such record in scope, or where it is linked already.
   *
   * @returns whether there is such a record, which is linked then.
   */
  associate(end: RelationEnd, id: Unread<readonly unknown[]>, context: CallContext): Promise<boolean>;
  /**
   * Whether there is a record in scope that a relation could lead to. Asks for the rights that linking it asks for, and writes
   * nothing.
   */
  checkLink(end: RelationEnd, id: Unread<readonly unknown[]>, context: CallContext): Promise<boolean>;
  /**
   * Take links away from the related records that fulfil `where`; with `isDeleting` the records go too. Asks for the right
   * to edit the foreign collection, or to delete from it. How many there were.
   */
  dissociate(
    end: RelationEnd,
    where: UnreadLater<ConditionTree | undefined>,
    isDeleting: boolean,
    context: CallContext,
  ): Promise<number>;
  /** How many related records `dissociate` would unlink. Asks for the same right, and writes nothing. */
  checkDissociate(
    end: RelationEnd,
    where: UnreadLater<ConditionTree | undefined>,
    context: CallContext,
  ): Promise<number>;
  /**
   * The columns by which a record that is yet to be created leads to another one, through a many-to-one relation. Read on
   * the foreign collection is asked for where they are not its key.
   */
  keysTo(collection: string, relation: string, id: readonly unknown[], context: CallContext): Promise<RecordData>;
  /**
   * Make a to-one relation lead to a record, or nowhere. Asks for the right to edit the collection that holds the key.
   */
  linkToOne(end: RelationEnd, id: Unread<readonly unknown[] | null>, context: CallContext): Promise<void>;
}
