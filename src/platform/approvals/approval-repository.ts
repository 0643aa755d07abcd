import {
  type ApprovalOutcome,
  type ApprovalRequestContent,
  type ApprovalResult,
  type ApprovalState,
  approvalDays,
  type FileApproval,
  keptContentDays,
  maxApprovalComments,
  maxOpenApprovals,
} from '#contracts/approvals';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { sha256Hex } from '#node/system/digest';
import { type AdminLog, type Author, auditUserOf, type PersonAsAuthor, thePlatform } from '../audit/admin-log.ts';
import { announceNews } from '../events/page-news.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { ApprovalMailQueue } from './approval-mail-queue.ts';
import {
  type ApprovalComment,
  type ApprovalRecord,
  approvals,
  commentOf,
  commentsOf,
  lapseMs,
  recordOf,
} from './approval-rows.ts';

type Environment = Pick<EnvironmentRecord, 'id' | 'projectId' | 'name'>;

/** What becomes of a request that waits. */
interface Decision {
  readonly state: Exclude<ApprovalState, 'asked'>;
  readonly author: Author;
  /** Of the run that it is granted to. */
  readonly runId?: string;
  readonly comment?: string | undefined;
}

/** Requests to run actions that need an approval. Each change of one is logged, and the pages of the environment learn about it. */
export interface ApprovalRepository {
  /** File a request; the one that waits already where it is the same. Rejects with `REQUEST_CONFLICT` for who has asked for too much. */
  add(environment: Environment, filed: FileApproval, author: PersonAsAuthor): Promise<ApprovalRecord>;
  find(environmentId: number, id: number): Promise<ApprovalRecord | undefined>;
  /** Note who may grant a request that waits. The mails about it leave then. */
  setApprovers(environmentId: number, id: number, personIds: readonly number[]): Promise<void>;
  /** The newest first; 500 at most, of which those that wait are not left out for others. */
  list(environmentId: number): Promise<readonly ApprovalRecord[]>;
  /** `null` once it is not kept any more, or where the key of the platform is another one. */
  content(id: number): Promise<ApprovalRequestContent | null>;
  /** What the action answered; `null` before it has run, and as `content` is. */
  result(id: number): Promise<ApprovalResult | null>;
  /** By request, the oldest first. */
  comments(ids: readonly number[]): Promise<readonly ApprovalComment[]>;
  /** Rejects with `REQUEST_CONFLICT` for a request that does not wait any more, unless it is granted to the same run again. */
  decide(approval: ApprovalRecord, decision: Decision): Promise<ApprovalRecord>;
  comment(approval: ApprovalRecord, author: PersonAsAuthor, text: string): Promise<void>;
  /** How the run ended. Whether it was the run that the request was granted to. */
  end(environmentId: number, id: number, end: ApprovalOutcome): Promise<boolean>;
  /** Let requests lapse that nobody has answered, and forget the values of those that were answered long ago. */
  sweep(): Promise<void>;
}

const dayMs = 24 * 60 * 60_000;
const mostListed = 500;

export interface StoredApprovalParts {
  readonly store: Store;
  /** Encrypts under a key that is not in the store. */
  readonly sealed: SealedTexts;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  /** Absent where the platform sends no mails. */
  readonly mails?: Pick<ApprovalMailQueue, 'queue' | 'release'> | undefined;
}

export class StoredApprovals implements ApprovalRepository {
  readonly #store: Store;
  readonly #sealed: SealedTexts;
  readonly #clock: Clock;
  readonly #adminLog: AdminLog;
  readonly #mails: StoredApprovalParts['mails'];

  constructor({ store, sealed, clock, adminLog, mails }: StoredApprovalParts) {
    this.#store = store;
    this.#sealed = sealed;
    this.#clock = clock;
    this.#adminLog = adminLog;
    this.#mails = mails;
  }

  async add(
    environment: Environment,
    { content, comment, client, ...filed }: FileApproval,
    author: PersonAsAuthor,
  ): Promise<ApprovalRecord> {
    const { collection, action, personId } = filed;
    const digest = sha256Hex(canonicalJson({ personId, client: client ?? null, collection, action, content }));
    const text = await this.#sealed.seal(JSON.stringify(content));
    return this.#store.transaction(async (transaction) => {
      const { db } = transaction;
      await transaction.lock(`approvals of environment ${environment.id}`);
      const now = this.#clock.now();
      const open = await db
        .selectFrom('approvals')
        .select(['id', 'digest'])
        .where((the) => the.and({ environmentId: environment.id, userId: personId, state: 'asked' }))
        .where('askedAt', '>', now - lapseMs)
        .execute();
      const same = open.find((each) => each.digest === digest);
      if (same) return this.#written(db, environment.id, same.id);
      if (open.length >= maxOpenApprovals) throw tooMany();
      const { id } = await db
        .insertInto('approvals')
        .values({
          ...{ environmentId: environment.id, userId: personId, collection, action, digest, content: text },
          ...{ client: client ? JSON.stringify(client) : null, records: content.recordIds.length },
          ...{ state: 'asked', askedAt: now },
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (comment !== undefined) await addComment(transaction, id, personId, comment, now);
      const record = await this.#written(db, environment.id, id);
      this.#tell(transaction, record, author);
      await this.#mails?.queue(transaction, { approvalId: id, event: 'asked', askedBy: personId, doneBy: personId });
      return record;
    });
  }

  find(environmentId: number, id: number): Promise<ApprovalRecord | undefined> {
    return this.#find(this.#store.db, environmentId, id);
  }

  setApprovers(environmentId: number, id: number, personIds: readonly number[]): Promise<void> {
    return this.#store.transaction(async (transaction) => {
      const waiting = await transaction.db
        .updateTable('approvals')
        .set({ approvers: JSON.stringify(personIds) })
        .where((the) => the.and({ id, environmentId, state: 'asked' }))
        .returning('id')
        .executeTakeFirst();
      if (waiting) await this.#mails?.release(transaction, id);
    });
  }

  async list(environmentId: number): Promise<readonly ApprovalRecord[]> {
    const rows = await approvals(this.#store.db)
      .where('approvals.environmentId', '=', environmentId)
      .orderBy((the) => the.case().when('approvals.state', '=', 'asked').then(0).else(1).end())
      .orderBy('approvals.id', 'desc')
      .limit(mostListed)
      .execute();
    const newestFirst = rows.toSorted((one, other) => other.id - one.id);
    return newestFirst.map((row) => recordOf(row, this.#clock.now()));
  }

  async content(id: number): Promise<ApprovalRequestContent | null> {
    const text = await this.#opened(id, 'content');
    return text === null ? null : (JSON.parse(text) as ApprovalRequestContent);
  }

  async result(id: number): Promise<ApprovalResult | null> {
    const text = await this.#opened(id, 'result');
    return text === null ? null : (JSON.parse(text) as ApprovalResult);
  }

  async #opened(id: number, part: 'content' | 'result'): Promise<string | null> {
    const { db } = this.#store;
    const row = await db.selectFrom('approvals').select([part]).where('id', '=', id).executeTakeFirst();
    const text = row?.[part] && (await this.#sealed.open(row[part]));
    return text || null;
  }

  async comments(ids: readonly number[]): Promise<readonly ApprovalComment[]> {
    return ids.length === 0 ? [] : (await commentsOf(this.#store.db, ids)).map(commentOf);
  }

  decide({ id, environment }: ApprovalRecord, { state, author, runId, comment }: Decision): Promise<ApprovalRecord> {
    return this.#store.transaction(async (transaction) => {
      const { db } = transaction;
      const now = this.#clock.now();
      const userId = author.user?.id;
      // Of several answers at once, one finds it waiting.
      const decided = await db
        .updateTable('approvals')
        .set({ state, decidedAt: now, decidedBy: userId ?? null, runId: runId ?? null })
        .where((the) => the.and({ id, state: 'asked' }))
        .where('askedAt', '>', now - lapseMs)
        .returning('id')
        .executeTakeFirst();
      const record = await this.#written(db, environment.id, id);
      if (!decided) {
        if (runId !== undefined && record.runId === runId) return record;
        throw isAnswered(record);
      }
      if (comment !== undefined && userId !== undefined) await addComment(transaction, id, userId, comment, now);
      this.#tell(transaction, record, author, 'asked');
      if (userId !== undefined && (state === 'granted' || state === 'refused')) {
        await this.#mails?.queue(transaction, {
          approvalId: id,
          event: state,
          askedBy: record.user.id,
          doneBy: userId,
        });
      }
      return record;
    });
  }

  comment({ id, environment, user: asker }: ApprovalRecord, { user }: PersonAsAuthor, text: string): Promise<void> {
    return this.#store.transaction(async (transaction) => {
      await transaction.lock(`comments of approval ${id}`);
      const known = await commentsOf(transaction.db, [id]);
      if (known.length >= maxApprovalComments) throw tooManyComments();
      await addComment(transaction, id, user.id, text, this.#clock.now());
      await this.#mails?.queue(transaction, {
        ...{ approvalId: id, event: 'commented', askedBy: asker.id, doneBy: user.id },
      });
      announceNews(transaction, environment.id, { type: 'approval' });
    });
  }

  async end(environmentId: number, id: number, { runId, outcome, result }: ApprovalOutcome): Promise<boolean> {
    const sealed = result ? await this.#sealed.seal(JSON.stringify(result)) : null;
    return this.#store.transaction(async (transaction) => {
      const ended = await transaction.db
        .updateTable('approvals')
        .set({ outcome, result: sealed })
        .where((the) => the.and({ id, environmentId, runId, state: 'granted' }))
        .returning('id')
        .executeTakeFirst();
      if (ended) announceNews(transaction, environmentId, { type: 'approval' });
      return ended !== undefined;
    });
  }

  async sweep(): Promise<void> {
    const now = this.#clock.now();
    const due = await approvals(this.#store.db)
      .where('approvals.state', '=', 'asked')
      .where('askedAt', '<=', now - lapseMs)
      .execute();
    for (const row of due) {
      await this.#store.transaction(async (transaction) => {
        const lapsed = await transaction.db
          .updateTable('approvals')
          .set({ state: 'lapsed', decidedAt: row.askedAt + lapseMs })
          .where((the) => the.and({ id: row.id, state: 'asked' }))
          .returning('id')
          .executeTakeFirst();
        if (lapsed) this.#tell(transaction, recordOf({ ...row, state: 'lapsed' }, now), thePlatform, 'asked');
      });
    }
    const old = (db: Store['db']) =>
      db
        .updateTable('approvals')
        .set({ content: null, approvers: null, result: null })
        .where('decidedAt', '<=', now - keptContentDays * dayMs)
        .where('content', 'is not', null)
        .execute();
    await this.#store.transaction(({ db }) => old(db));
  }

  async #find(db: Store['db'], environmentId: number, id: number): Promise<ApprovalRecord | undefined> {
    const row = await approvals(db)
      .where((the) => the.and({ 'approvals.environmentId': environmentId, 'approvals.id': id }))
      .executeTakeFirst();
    return row && recordOf(row, this.#clock.now());
  }

  async #written(db: Store['db'], environmentId: number, id: number): Promise<ApprovalRecord> {
    const record = await this.#find(db, environmentId, id);
    if (!record) throw cloudError('INTERNAL_BUG', `The request ${id} was written and is not there.`);
    return record;
  }

  #tell(transaction: StoreTransaction, record: ApprovalRecord, author: Author, before?: ApprovalState): void {
    const { environment } = record;
    const newValue = loggedValue(record, record.state);
    this.#adminLog(transaction, {
      ...{ projectId: environment.projectId, author, environment: environment.name, resource: 'approval', newValue },
      ...(before === undefined ? { type: 'add' } : { type: 'update', previousValue: loggedValue(record, before) }),
    });
    announceNews(transaction, environment.id, { type: 'approval' });
  }
}

async function addComment(
  { db }: StoreTransaction,
  approvalId: number,
  userId: number,
  body: string,
  writtenAt: number,
): Promise<void> {
  await db.insertInto('approvalComments').values({ approvalId, userId, body, writtenAt }).execute();
}

function loggedValue({ id, user, collection, action, records, digest }: ApprovalRecord, state: ApprovalState) {
  return { id, user: auditUserOf(user), collection, action, records, digest, state };
}

function isAnswered({ id, state }: ApprovalRecord): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The request ${id} does not wait for an answer any more: it ${states[state]}.`,
    'Look at it again: vendor-cloud approvals list, or GET /api/approvals.',
    { details: { state } },
  );
}

const states = {
  asked: 'was answered meanwhile',
  granted: 'was granted',
  refused: 'was refused',
  withdrawn: 'was withdrawn',
  lapsed: `was not answered within ${approvalDays} days`,
} as const;

function tooMany(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `You have ${maxOpenApprovals} requests that wait for an approval.`,
    'Withdraw some of them: vendor-cloud approvals list, then vendor-cloud approvals withdraw ID.',
  );
}

function tooManyComments(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The request has ${maxApprovalComments} comments already.`,
    'Talk about it elsewhere.',
  );
}
