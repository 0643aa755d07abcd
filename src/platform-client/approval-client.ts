import {
  type Approval,
  type ApprovalOutcome,
  approvalListSchema,
  approvalSchema,
  type FileAnswer,
  type FileApproval,
  fileAnswerSchema,
  type GrantApproval,
  type GrantedApproval,
  grantedApprovalSchema,
  type OpenedApproval,
  openedApprovalSchema,
} from '#contracts/approvals';
import { orAbsent, type PlatformTransport } from './platform-transport.ts';

/** Requests to run actions that need an approval, as agents file and grant them: `#contracts/approvals`. */
export interface ApprovalRequestClient {
  file(filed: FileApproval): Promise<FileAnswer>;
  /** Say who may grant a request. A platform of an older version does not ask. */
  tellApprovers(id: number, personIds: readonly number[]): Promise<void>;
  /** `undefined` for a request that is not there. */
  open(id: number): Promise<OpenedApproval | undefined>;
  /** Rejects with `REQUEST_CONFLICT` for a request that was answered. The same run may ask again. */
  grant(id: number, grant: GrantApproval): Promise<GrantedApproval>;
  end(id: number, end: ApprovalOutcome): Promise<void>;
}

export function createApprovalRequestClient(transport: PlatformTransport): ApprovalRequestClient {
  const get = { method: 'GET', credential: 'envSecret', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'envSecret', isRepeatable: true } as const;
  return {
    file: (json) => transport.fetchJson({ ...post, path: 'agent/v1/approvals', json }, fileAnswerSchema),
    tellApprovers: async (id, personIds) => {
      await transport.send({ ...post, path: `agent/v1/approvals/${id}/approvers`, json: { personIds } });
    },
    open: (id) => orAbsent(transport.fetchJson({ ...get, path: `agent/v1/approvals/${id}` }, openedApprovalSchema)),
    grant: (id, json) =>
      transport.fetchJson({ ...post, path: `agent/v1/approvals/${id}/grant`, json }, grantedApprovalSchema),
    end: async (id, json) => {
      await transport.send({ ...post, path: `agent/v1/approvals/${id}/outcome`, json });
    },
  };
}

/** The same requests, as people see and answer them. Granting is at the agent. */
export interface ApprovalClient {
  approvals(): Promise<readonly Approval[]>;
  approval(id: number): Promise<Approval>;
  refuseApproval(id: number, comment: string | undefined): Promise<Approval>;
  commentOnApproval(id: number, comment: string): Promise<Approval>;
  withdrawApproval(id: number): Promise<Approval>;
}

export function createApprovalClient(transport: PlatformTransport): ApprovalClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  const once = { credential: 'userToken', isRepeatable: false } as const;
  return {
    approvals: async () => (await transport.fetchJson({ ...get, path: 'api/approvals' }, approvalListSchema)).approvals,
    approval: (id) => transport.fetchJson({ ...get, path: `api/approvals/${id}` }, approvalSchema),
    refuseApproval: (id, comment) =>
      transport.fetchJson(
        { ...once, method: 'POST', path: `api/approvals/${id}/refuse`, json: { comment } },
        approvalSchema,
      ),
    commentOnApproval: (id, comment) =>
      transport.fetchJson(
        { ...once, method: 'POST', path: `api/approvals/${id}/comments`, json: { comment } },
        approvalSchema,
      ),
    withdrawApproval: (id) =>
      transport.fetchJson({ ...once, method: 'DELETE', path: `api/approvals/${id}` }, approvalSchema),
  };
}
