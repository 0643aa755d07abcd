import type { RecordHistory } from '#contracts/history';
import type { InboxNote, RecordNotes } from '#contracts/notes';
import { systemRandom } from '#node/system/system-random';
import type { RecordData } from '#runtime/query/record-query';
import type { HistoryPlatform } from '#runtime/surfaces/request/record-histories';
import { PlatformNotes } from '#runtime/surfaces/request/record-notes';
import { type Name, names, type Shop } from './shop-data.ts';

const user = { id: 7, name: 'Ada Lovelace', email: 'ada@example.test' };
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
        ...{ begin: refuse, reply: refuse, edit: refuse, markRead: refuse, findPeople: refuse },
        list: async () => page,
        inbox: async () => ({ notes }),
      },
      person: async () => undefined,
    },
    random: systemRandom,
  });
}
