import type {
  Approval,
  ApprovalOutcome,
  FileAnswer,
  FileApproval,
  FiledApproval,
  GrantApproval,
  GrantedApproval,
  OpenedApproval,
} from '#contracts/approvals';
import { type EnvironmentPermissions, type PlatformUser, type Right, roleIdsOf } from '#contracts/permissions';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { fullNameOf } from '#kernel/text/full-name';
import { deedsOf } from '../access/authorise.ts';
import type { SignedInUser } from '../access/guards.ts';
import { authorOf, type PersonAsAuthor } from '../audit/admin-log.ts';
import type { EnvironmentRecord, IdentityRepository, UserRecord } from '../identity/identity-repository.ts';
import type { PermissionService } from '../permissions/permission-service.ts';
import type { ApprovalRepository } from './approval-repository.ts';
import type { ApprovalComment, ApprovalRecord } from './approval-rows.ts';

/** What people see and answer of the requests in their environment. Granting is at the agent, which looks at the records. */
export interface ApprovalService {
  /** Those that the person has asked for or may decide on; for administrators all. */
  list(by: SignedInUser): Promise<Approval[]>;
  /** Rejects with `REQUEST_NOT_FOUND` for one that the person may not know of. */
  find(by: SignedInUser, id: number): Promise<Approval>;
  /** For whose roles may approve the action, and for administrators. Nobody refuses their own: they withdraw it. */
  refuse(by: SignedInUser, id: number, comment: string | undefined): Promise<Approval>;
  /** Take back what one has asked for. */
  withdraw(by: SignedInUser, id: number): Promise<Approval>;
  comment(by: SignedInUser, id: number, text: string): Promise<Approval>;
}

/** What agents do with the requests of their environment. */
export interface AgentApprovals {
  file(environment: EnvironmentRecord, filed: FileApproval): Promise<FileAnswer>;
  /** Rejects with `REQUEST_NOT_FOUND`. */
  tellApprovers(environment: EnvironmentRecord, id: number, personIds: readonly number[]): Promise<void>;
  open(environment: EnvironmentRecord, id: number): Promise<OpenedApproval>;
  grant(environment: EnvironmentRecord, id: number, grant: GrantApproval): Promise<GrantedApproval>;
  end(environment: EnvironmentRecord, id: number, end: ApprovalOutcome): Promise<void>;
}

export interface ApprovalParts {
  readonly approvals: ApprovalRepository;
  readonly identity: Pick<IdentityRepository, 'findMember'>;
  readonly permissions: Pick<PermissionService, 'environment' | 'users'>;
  /** Whether people get mails about requests. */
  readonly sendsMails?: boolean;
  /** The page where the people of an environment answer a request. */
  readonly pageOf: (environment: EnvironmentRecord, id: number) => string;
}

export function createApprovalService({ approvals, permissions }: ApprovalParts): ApprovalService {
  const shown = async (by: SignedInUser, records: readonly ApprovalRecord[], mayDecide: MayDecide) => {
    const known = Map.groupBy(await approvals.comments(records.map(({ id }) => id)), ({ approvalId }) => approvalId);
    return records.map((record) => approvalOf(record, known.get(record.id) ?? [], by.user.id, mayDecide(record)));
  };
  const found = async (by: SignedInUser, id: number) => {
    const [record, mayDecide] = await Promise.all([
      approvals.find(by.environment.id, id),
      deciderOf(permissions, by.environment, by.user.id),
    ]);
    if (!record || !mayKnow(by, record, mayDecide)) throw notFound(id, by.environment);
    return { record, mayDecide };
  };
  const after = async (by: SignedInUser, record: ApprovalRecord, mayDecide: MayDecide): Promise<Approval> => {
    const [approval] = await shown(by, [record], mayDecide);
    if (!approval) throw notFound(record.id, by.environment);
    return approval;
  };
  return {
    list: async (by) => {
      const mayDecide = await deciderOf(permissions, by.environment, by.user.id);
      const all = await approvals.list(by.environment.id);
      const known = all.filter((record) => mayKnow(by, record, mayDecide));
      return shown(by, known, mayDecide);
    },
    find: async (by, id) => {
      const { record, mayDecide } = await found(by, id);
      return after(by, record, mayDecide);
    },
    refuse: async (by, id, comment) => {
      requirePerson(by);
      const { record, mayDecide } = await found(by, id);
      if (record.user.id === by.user.id && !mayDecide(record)) throw theirOwn(record);
      return after(by, await approvals.decide(record, { state: 'refused', author: by.author, comment }), mayDecide);
    },
    withdraw: async (by, id) => {
      const { record, mayDecide } = await found(by, id);
      if (record.user.id !== by.user.id) throw notTheirs();
      return after(by, await approvals.decide(record, { state: 'withdrawn', author: by.author }), mayDecide);
    },
    comment: async (by, id, text) => {
      const { record, mayDecide } = await found(by, id);
      await approvals.comment(record, by.author, text);
      return after(by, record, mayDecide);
    },
  };
}

export function createAgentApprovals({
  approvals,
  identity,
  permissions,
  sendsMails,
  pageOf,
}: ApprovalParts): AgentApprovals {
  const memberOf = async (environment: EnvironmentRecord, id: number): Promise<PersonAsAuthor> => {
    const member = await identity.findMember(environment.projectId, id);
    if (member) return authorOf(member, undefined);
    throw cloudError(
      'REQUEST_NOT_FOUND',
      'The person is not a member of the project.',
      'Ask an administrator of the project.',
    );
  };
  const found = async (environment: EnvironmentRecord, id: number) => {
    const record = await approvals.find(environment.id, id);
    if (record) return record;
    throw notFound(id, environment);
  };
  const filed = (environment: EnvironmentRecord, { id, state, lapsesAt }: ApprovalRecord): FiledApproval => ({
    ...{ id, state, lapsesAt: new Date(lapsesAt).toISOString(), url: pageOf(environment, id) },
  });
  return {
    file: async (environment, input) => {
      const author = await memberOf(environment, input.personId);
      const record = await approvals.add(environment, input, author);
      const answer = filed(environment, record);
      if (!sendsMails) return answer;
      const candidates = await approversOf(permissions, environment, record);
      return { ...answer, candidates: candidates.map(({ id }) => id) };
    },
    tellApprovers: async (environment, id, personIds) => {
      await found(environment, id);
      await approvals.setApprovers(environment.id, id, personIds);
    },
    open: async (environment, id) => {
      const record = await found(environment, id);
      const { user, client, collection, action, outcome, decidedBy } = record;
      const [content, result] = await Promise.all([approvals.content(id), approvals.result(id)]);
      return {
        ...{ ...filed(environment, record), personId: user.id, client: client ?? null, collection, action, outcome },
        ...{ content, result, decidedBy: decidedBy && fullNameOf(decidedBy) },
      };
    },
    grant: async (environment, id, { approverId, runId, comment }) => {
      const record = await found(environment, id);
      const author = await memberOf(environment, approverId);
      const granted = await approvals.decide(record, { state: 'granted', author, runId, comment });
      return { ...filed(environment, granted), keepsResult: true };
    },
    end: async (environment, id, end) => {
      if (!(await approvals.end(environment.id, id, end))) throw notFound(id, environment);
    },
  };
}

type MayDecide = (record: ApprovalRecord) => boolean;

/** Who asked, who may decide, and administrators, who close what nobody answers. */
function mayKnow({ user }: SignedInUser, record: ApprovalRecord, mayDecide: MayDecide): boolean {
  return record.user.id === user.id || mayDecide(record) || deedsOf(user).includes('manage people');
}

/** Which requests somebody may decide on, as far as their roles say now. */
async function deciderOf(
  permissions: ApprovalParts['permissions'],
  environment: EnvironmentRecord,
  userId: number,
): Promise<MayDecide> {
  const [document, users] = await Promise.all([permissions.environment(environment), permissions.users(environment)]);
  const user = users.find(({ id }) => id === userId);
  return ({ user: { id }, collection, action }) =>
    user !== undefined && mayApprove(document, user, { collection, action, isOwn: id === userId });
}

/** Who may grant a request, as far as roles say now. */
export async function approversOf(
  permissions: ApprovalParts['permissions'],
  environment: EnvironmentRecord,
  { user: { id }, collection, action }: ApprovalRecord,
): Promise<readonly PlatformUser[]> {
  const [document, users] = await Promise.all([permissions.environment(environment), permissions.users(environment)]);
  return users.filter((user) => mayApprove(document, user, { collection, action, isOwn: user.id === id }));
}

interface Asked {
  readonly collection: string;
  readonly action: string;
  readonly isOwn: boolean;
}

/** Whether one of the roles of somebody may approve an action, on some records at least. */
function mayApprove(
  document: EnvironmentPermissions,
  user: PlatformUser,
  { collection, action, isOwn }: Asked,
): boolean {
  if (document === true) return true;
  const ofCollection = Object.hasOwn(document.collections, collection) ? document.collections[collection] : undefined;
  const rights = ofCollection && Object.hasOwn(ofCollection.actions, action) ? ofCollection.actions[action] : undefined;
  if (!rights) return false;
  const right: Right = isOwn ? rights.selfApprovalEnabled : rights.userApprovalEnabled;
  return typeof right === 'boolean' ? right : roleIdsOf(user).some((roleId) => right.roles.includes(roleId));
}

function approvalOf(
  record: ApprovalRecord,
  comments: readonly ApprovalComment[],
  readerId: number,
  mayDecide: boolean,
): Approval {
  const { id, user, client, collection, action, records, state, decidedBy, decidedAt, outcome, environment } = record;
  return {
    ...{ id, environment: environment.name, person: personOf(user), collection, action, records, state, outcome },
    client: client ? client.name || client.id || 'a program' : null,
    askedAt: new Date(record.askedAt).toISOString(),
    lapsesAt: new Date(record.lapsesAt).toISOString(),
    decidedBy: decidedBy && personOf(decidedBy),
    decidedAt: decidedAt === null ? null : new Date(decidedAt).toISOString(),
    isOwn: user.id === readerId,
    mayDecide: mayDecide && state === 'asked',
    comments: comments.map(({ user: by, body, writtenAt }) => ({
      ...{ person: personOf(by), text: body, at: new Date(writtenAt).toISOString() },
    })),
  };
}

function personOf(user: UserRecord): Approval['person'] {
  return { id: user.id, name: fullNameOf(user), email: user.email };
}

/** A token that was printed for a program may be in the hands of an assistant. */
function requirePerson({ credential }: SignedInUser): void {
  if (credential.kind !== 'printed token') return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    'A printed token does not answer for its person.',
    'Sign in at the platform, or use the token of "vendor-cloud login".',
  );
}

function theirOwn({ collection, action }: ApprovalRecord): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    `None of your roles may answer your own request for the action "${action}" of "${collection}".`,
    'Withdraw it, or wait for somebody else.',
  );
}

function notTheirs(): CloudError {
  return cloudError('REQUEST_FORBIDDEN', 'Only who asked withdraws a request.', 'Refuse it instead.');
}

function notFound(id: number, { name }: Pick<EnvironmentRecord, 'name'>): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `There is no request ${id} in the environment "${name}" that you have made or may decide on.`,
    'List them: vendor-cloud approvals list, or GET /api/approvals.',
  );
}
