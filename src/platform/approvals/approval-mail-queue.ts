import type { ApprovalMailEvent } from '#contracts/approvals';
import type { Clock } from '#kernel/ports/clock';
import type { Store, StoreTransaction } from '../store/store.ts';

/** What happened to a request. */
interface ApprovalNews {
  readonly approvalId: number;
  readonly event: ApprovalMailEvent;
  /** Who asked. */
  readonly askedBy: number;
  /** Who asked, granted, refused or wrote a comment. */
  readonly doneBy: number;
}

/** Queues the mails about a change, in the transaction that makes it. */
export type QueueApprovalMail = (transaction: StoreTransaction, news: ApprovalNews) => Promise<void>;

export interface QueuedMail {
  readonly id: number;
  readonly approvalId: number;
  readonly environmentId: number;
  readonly event: ApprovalMailEvent;
  readonly userId: number;
  readonly authorId: number;
  readonly queuedAt: number;
  readonly attempts: number;
}

/** A mail whose receivers are not known yet. */
export type UnaddressedMail = Omit<QueuedMail, 'userId'>;

/** Mails about requests that wait. A mail has a row until it was sent or given up, so that it is sent once, also after a restart. */
export interface ApprovalMailQueue {
  readonly queue: QueueApprovalMail;
  /** It is known who may grant a request, so the mail about it leaves. */
  release(transaction: StoreTransaction, approvalId: number): Promise<void>;
  /** Called when a process of the platform has queued a mail. Returns how to stop. */
  onQueued(listener: () => void): () => void;
  /** Whether there is anything to do. */
  isDue(): Promise<boolean>;
  /** The mails that a process had handed to the mail server when it ended; they are taken out. */
  takeHanded(): Promise<readonly QueuedMail[]>;
  unaddressed(): Promise<readonly UnaddressedMail[]>;
  /** Make one mail for each person out of a mail without receivers. */
  address(mail: UnaddressedMail, userIds: readonly number[]): Promise<void>;
  /** The mails that are due, the oldest first; 100 at most. */
  due(): Promise<readonly QueuedMail[]>;
  /** Note that the mail server gets it now. */
  hand(mail: QueuedMail): Promise<void>;
  /** It was sent, or is given up. */
  remove(mail: { readonly id: number }): Promise<void>;
  /** It is tried again later. */
  postpone(mail: QueuedMail, dueAt: number): Promise<void>;
}

const mostAtOnce = 100;
/** How long a mail about a new request waits for the agent to say who may grant it. An older agent does not. */
const longestWaitMs = 60_000;

export class StoredApprovalMails implements ApprovalMailQueue {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  readonly queue: QueueApprovalMail = async (transaction, { approvalId, event, askedBy, doneBy }) => {
    if (event !== 'asked' && askedBy === doneBy) return;
    const now = this.#clock.now();
    const isAddressed = event !== 'asked';
    const userId = isAddressed ? askedBy : null;
    const dueAt = isAddressed ? now : now + longestWaitMs;
    await transaction.db
      .insertInto('approvalMails')
      .values({ approvalId, event, userId, authorId: doneBy, queuedAt: now, dueAt, attempts: 0 })
      .execute();
    transaction.announce('mails', String(approvalId));
  };

  async release(transaction: StoreTransaction, approvalId: number): Promise<void> {
    await transaction.db
      .updateTable('approvalMails')
      .set({ dueAt: this.#clock.now() })
      .where('approvalId', '=', approvalId)
      .where('userId', 'is', null)
      .execute();
    transaction.announce('mails', String(approvalId));
  }

  onQueued(listener: () => void): () => void {
    return this.#store.listen('mails', listener, listener);
  }

  async isDue(): Promise<boolean> {
    return (await this.#due().limit(1).execute()).length > 0;
  }

  async takeHanded(): Promise<readonly QueuedMail[]> {
    const rows = await mails(this.#store.db).where('handedAt', 'is not', null).execute();
    const handed = rows.filter(isAddressed);
    for (const row of handed) await this.remove(row);
    return handed;
  }

  unaddressed(): Promise<readonly UnaddressedMail[]> {
    return this.#due().where('approvalMails.userId', 'is', null).limit(mostAtOnce).execute();
  }

  address({ id, approvalId, event, authorId, queuedAt }: UnaddressedMail, userIds: readonly number[]): Promise<void> {
    return this.#store.transaction(async ({ db }) => {
      const taken = await db.deleteFrom('approvalMails').where('id', '=', id).returning('id').executeTakeFirst();
      if (!taken || userIds.length === 0) return;
      const common = { approvalId, event, authorId, queuedAt, dueAt: queuedAt, attempts: 0 };
      await db
        .insertInto('approvalMails')
        .values(userIds.map((userId) => ({ ...common, userId })))
        .execute();
    });
  }

  async due(): Promise<readonly QueuedMail[]> {
    return (await this.#due().where('approvalMails.userId', 'is not', null).limit(mostAtOnce).execute()).filter(
      isAddressed,
    );
  }

  hand({ id }: QueuedMail): Promise<void> {
    return this.#change(id, { handedAt: this.#clock.now() });
  }

  postpone({ id, attempts }: QueuedMail, dueAt: number): Promise<void> {
    return this.#change(id, { handedAt: null, dueAt, attempts: attempts + 1 });
  }

  remove({ id }: { readonly id: number }): Promise<void> {
    return this.#store.transaction(async ({ db }) => {
      await db.deleteFrom('approvalMails').where('id', '=', id).execute();
    });
  }

  #change(id: number, change: { handedAt: number | null; dueAt?: number; attempts?: number }): Promise<void> {
    return this.#store.transaction(async ({ db }) => {
      await db.updateTable('approvalMails').set(change).where('id', '=', id).execute();
    });
  }

  #due() {
    return mails(this.#store.db).where('dueAt', '<=', this.#clock.now()).orderBy('dueAt').orderBy('approvalMails.id');
  }
}

function mails(db: Store['db']) {
  return db
    .selectFrom('approvalMails')
    .innerJoin('approvals', 'approvals.id', 'approvalMails.approvalId')
    .select(['approvalMails.id', 'approvalId', 'environmentId', 'event', 'authorId', 'queuedAt', 'attempts'])
    .select('approvalMails.userId');
}

function isAddressed<Row extends { readonly userId: number | null }>(row: Row): row is Row & { userId: number } {
  return row.userId !== null;
}
