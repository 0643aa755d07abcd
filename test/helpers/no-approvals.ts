import type { ApprovalRequests } from '#runtime/surfaces/request/approval-requests';
import type { RecordHistories } from '#runtime/surfaces/request/record-histories';
import type { RecordNotes } from '#runtime/surfaces/request/record-notes';

/** For tests in which nobody asks for an approval. */
export const noApprovals: ApprovalRequests = { ask: refuse, read: refuse, grant: refuse };

/** For tests in which nobody reads or writes notes. */
export const noNotes: RecordNotes = {
  ...{ list: refuse, begin: refuse, reply: refuse, edit: refuse, markRead: refuse, mentionable: refuse, inbox: refuse },
};

/** For tests in which nobody looks at what was written. */
export const noHistories: RecordHistories = { read: refuse, undo: refuse };

async function refuse(): Promise<never> {
  throw new TypeError('Nobody asks for this here.');
}
