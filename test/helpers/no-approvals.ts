import type { ApprovalRequests } from '#runtime/surfaces/request/approval-requests';

/** For tests in which nobody asks for an approval. */
export const noApprovals: ApprovalRequests = { ask: refuse, stateOf: refuse, read: refuse, grant: refuse };

async function refuse(): Promise<never> {
  throw new TypeError('Nobody asks for this here.');
}
