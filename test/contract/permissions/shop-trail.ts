import type { AgentTokenClaims } from '#contracts/agent-token';
import type { ApprovalRequestContent } from '#contracts/approvals';
import type { RecordHistory } from '#contracts/history';
import type { InboxNote, RecordNotes } from '#contracts/notes';
import type { EnvironmentPermissions, PlatformUser } from '#contracts/permissions';
import { silentLogger } from '#kernel/ports/logger';
import { systemRandom } from '#node/system/system-random';
import type { SignedInUser } from '#platform/access/guards';
import type { ApprovalRepository } from '#platform/approvals/approval-repository';
import type { ApprovalRecord } from '#platform/approvals/approval-rows';
import { createApprovalService } from '#platform/approvals/approval-service';
import { createActReporter } from '#runtime/activity/act-reporter';
import type { RecordData } from '#runtime/query/record-query';
import { PlatformApprovals } from '#runtime/surfaces/request/approval-requests';
import type { HistoryPlatform } from '#runtime/surfaces/request/record-histories';
import { PlatformNotes } from '#runtime/surfaces/request/record-notes';
import { type Name, names, type Shop } from './shop-data.ts';

const user = { id: 7, name: 'Ada Lovelace', email: 'ada@example.test' };
const person = { team: 'Everything', role: 'Others', permissionLevel: 'user', renderingId: 900, tags: {} } as const;
/** Somebody who sees everything, and asks for approvals. */
export const asker: AgentTokenClaims = {
  ...{ ...person, id: 99, email: 'bob@example.test', firstName: 'Bob', lastName: 'Kay' },
};
/** Somebody who sees nothing. */
export const stranger: AgentTokenClaims = {
  ...{ ...person, id: 98, email: 'eve@example.test', firstName: 'Eve', lastName: 'Low' },
};

const writtenAt = '2026-01-01T00:00:00.000Z';
/** Records that there are, and two that were deleted. */
const ids = ['1', '2', '3', '4', '5'];

/** What was written to the records of a shop, with every value. A record that is not there was deleted: it was as the first one is. */
export function historiesOf(data: Shop): HistoryPlatform {
  return {
    recordHistory: async ({ collection, recordId, limit }) => {
      const rows = data[collection as Name];
      const record = rows.find(({ id }) => String(id) === recordId);
      const { id: _id, ...values } = record ?? rows[0] ?? {};
      const made = writeOf(1, 'create', null, values);
      const last = record ? writeOf(2, 'update', values, values) : writeOf(2, 'delete', values, null);
      return { writes: [last, made].slice(0, limit), next: null };
    },
  };
}

function writeOf(
  sequence: number,
  action: string,
  before: RecordData | null,
  after: RecordData | null,
): RecordHistory['writes'][number] {
  const fields = Object.keys(before ?? after ?? {});
  const values = { before, after, unkept: {} };
  return {
    ...{ sequence, id: `row-${sequence}`, occurredAt: writtenAt, action, user, status: 'completed' as const },
    ...{ fields, values, missing: null },
  };
}

/** The id of the only request about a record whose values are as they were. */
const unchanged = '1';

/** A request about each order, with what who asked saw of it. */
export function approvalsOf({ orders }: Shop): PlatformApprovals {
  const refuse = async (): Promise<never> => {
    throw new TypeError('Nobody asks for an approval here, and nobody grants one.');
  };
  const contentOf = (record: RecordData): ApprovalRequestContent => {
    const id = String(record['id']);
    const { reference, status, total } = record;
    const once = { reference: `${reference} once`, status: `${status} once`, total: Number(total) + 1 };
    const shown = [{ id, values: { ...record, ...(id === unchanged ? {} : once) } }];
    return { recordIds: [id], values: { Status: 'as it is' }, shown, timezone: 'UTC' };
  };
  return new PlatformApprovals({
    platform: {
      approvalRequests: {
        ...{ file: refuse, tellApprovers: refuse, grant: refuse, end: refuse },
        open: async (id) => {
          const record = orders.find((each) => each['id'] === id);
          return (
            record && {
              ...{ id, state: 'asked', personId: asker.id, client: null, collection: 'orders', action: 'Ship' },
              ...{ lapsesAt: writtenAt, content: contentOf(record) },
            }
          );
        },
      },
      person: async (id) => [asker, stranger].find((each) => each.id === id),
    },
    ...{ reporter: createActReporter(undefined), random: systemRandom, logger: silentLogger },
  });
}

interface RightsOfPeople {
  readonly environmentPermissions: () => Promise<EnvironmentPermissions>;
  readonly users: () => Promise<readonly unknown[]>;
}

/** What the platform lists for somebody of requests on each collection, half of which they have made. */
export async function requestsSeenBy(
  reader: AgentTokenClaims,
  { environmentPermissions, users }: RightsOfPeople,
): Promise<{ readonly approvals: readonly unknown[] }> {
  const environment = { id: 1, projectId: 1, name: 'development' };
  const records = names.flatMap((collection, at) =>
    [asker, reader].map(
      (user, index): ApprovalRecord => ({
        ...{
          id: 2 * at + index + 1,
          environment,
          user,
          client: null,
          collection,
          action: 'Ship',
          records: 1,
          digest: '',
        },
        ...{ state: 'asked', approvers: null, askedAt: 0, lapsesAt: 1, decidedAt: null, decidedBy: null },
        ...{ runId: null, outcome: null },
      }),
    ),
  );
  const approvals: Pick<ApprovalRepository, 'list' | 'comments'> = {
    list: async () => records,
    comments: async () => [],
  };
  const service = createApprovalService({
    approvals: approvals as ApprovalRepository,
    identity: { findMember: async () => undefined },
    permissions: { environment: environmentPermissions, users: async () => (await users()) as PlatformUser[] },
    pageOf: () => '',
  });
  const by = { user: reader, environment, credential: { kind: 'session' } } as unknown as SignedInUser;
  return { approvals: await service.list(by) };
}

/** A note on each record, all of which concern the caller. */
export function notesOnAll(): PlatformNotes {
  const notes = names.flatMap((collection, at) =>
    ids.map(
      (recordId, index): InboxNote => ({
        ...{ id: 10 * at + index, title: 'Look', collection, recordId, updatedAt: writtenAt, user, last: 1, unread: 1 },
        isMentioned: false,
      }),
    ),
  );
  const page: RecordNotes = { notes: [], open: 1, unread: 1, next: null };
  const refuse = async (): Promise<never> => {
    throw new TypeError('Nobody writes a note here.');
  };
  return new PlatformNotes({
    platform: {
      recordNotes: {
        ...{ begin: refuse, reply: refuse, edit: refuse, markRead: refuse },
        findPeople: async () => ({ people: [asker, stranger] }),
        list: async () => page,
        inbox: async () => ({ notes }),
      },
      person: async () => undefined,
    },
    random: systemRandom,
  });
}
