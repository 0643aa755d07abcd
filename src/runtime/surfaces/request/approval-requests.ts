import type { AgentTokenClaims } from '#contracts/agent-token';
import {
  type ApprovalContent,
  type ApprovalOutcome,
  type FiledApproval,
  type GrantedApproval,
  maxApprovalBytes,
  type OpenedApproval,
} from '#contracts/approvals';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { ApprovalRequestClient } from '#platform-client/index';
import type { ActionTarget, RunInput } from '../../actions/action-call.ts';
import type { ActionOutcome, RunRequested } from '../../actions/action-service.ts';
import { keptResult, outdated, outdatedBy, type RequestedRun, shownTo } from '../../actions/approval-request.ts';
import { knownFormFields } from '../../actions/form-document.ts';
import type { ActReporter } from '../../activity/act-reporter.ts';
import { type CompiledModel, findCollection } from '../../model/compiled-model.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import { type AgentState, stateFor } from './agent-state.ts';
import { publicErrorOf } from './public-error.ts';

/** The part of the platform that keeps the requests, and knows who asked. */
export interface ApprovalRequestPlatform {
  readonly approvalRequests: ApprovalRequestClient;
  /** A member of the project; `undefined` for anybody else. */
  person(id: number): Promise<AgentTokenClaims | undefined>;
}

/** Somebody who asks, reads or grants. */
export interface ApprovalCall {
  /** What they are answered with. */
  readonly state: AgentState;
  /** What all callers share, for the rights of somebody else. */
  readonly served: AgentState;
  readonly context: CallContext;
}

export interface AskedApproval {
  readonly collection: string;
  readonly action: string;
  readonly comment: string | undefined;
  /** Called once it is known that the caller may see the form of the action. */
  readInput(target: ActionTarget): RunInput;
}

/** Requests to run actions that need an approval: how somebody asks, and how somebody else grants. */
export interface ApprovalRequests {
  /** Rejects with what a run rejects with, or with `REQUEST_CONFLICT` where no approval is needed. */
  ask(asked: AskedApproval, call: ApprovalCall): Promise<FiledApproval>;
  /**
   * How a request stands that the caller has made for this action, by the same program. Right: to see the form of the action. Rejects with
   * `REQUEST_NOT_FOUND` for any other request.
   */
  stateOf(id: number, of: Pick<AskedApproval, 'collection' | 'action'>, call: ApprovalCall): Promise<ApprovalStanding>;
  /** For who has asked, and for who may grant it. */
  read(id: number, call: ApprovalCall): Promise<ApprovalContent>;
  /**
   * Run what somebody has asked for, in their name. Rejects with `ACTION_APPROVAL_NOT_ALLOWED` or `REQUEST_FORBIDDEN` for who may not
   * grant it, with `ACTION_APPROVAL_OUTDATED` for what has changed, and with `REQUEST_CONFLICT` for a request that was answered.
   */
  grant(id: number, comment: string | undefined, call: ApprovalCall): Promise<ActionOutcome>;
}

export interface ApprovalRequestParts {
  readonly platform: ApprovalRequestPlatform;
  readonly reporter: ActReporter;
  readonly random: Random;
  readonly logger: Logger;
}

export class PlatformApprovals implements ApprovalRequests {
  readonly #platform: ApprovalRequestPlatform;
  readonly #reporter: ActReporter;
  readonly #random: Random;
  readonly #logger: Logger;

  constructor({ platform, reporter, random, logger }: ApprovalRequestParts) {
    this.#platform = platform;
    this.#reporter = reporter;
    this.#random = random;
    this.#logger = logger;
  }

  async ask(
    { collection: name, action: actionName, comment, readInput }: AskedApproval,
    call: ApprovalCall,
  ): Promise<FiledApproval> {
    const { state, context } = call;
    const { caller } = context;
    await state.authoriser.requireForm(caller, name, actionName);
    const collection = findCollection(state.model, name);
    if (!collection) throw noCollection(name);
    const target = { collection, action: state.actions.named(collection, actionName) };
    const requested = await state.actions.request(target, () => readInput(target), context);
    const content = { ...requested, recordIds: [...requested.recordIds], timezone: caller.timezone };
    if (Buffer.byteLength(JSON.stringify(content)) > maxApprovalBytes) throw tooLarge();
    const request = { personId: caller.id, collection: collection.name, action: target.action.name, content };
    const { candidates, ...filed } = await this.#platform.approvalRequests.file({
      ...request,
      ...(caller.client ? { client: { ...caller.client } } : {}),
      ...(comment === undefined ? {} : { comment }),
    });
    if (candidates) await this.#tellApprovers({ ...request, id: filed.id }, candidates, call);
    return filed;
  }

  async stateOf(
    id: number,
    { collection, action }: Pick<AskedApproval, 'collection' | 'action'>,
    { state, context }: ApprovalCall,
  ): Promise<ApprovalStanding> {
    const { caller } = context;
    await state.authoriser.requireForm(caller, collection, action);
    const found = id > 0 ? await this.#platform.approvalRequests.open(id) : undefined;
    const isSame = found?.collection === collection && found.action === action && found.personId === caller.id;
    if (!isSame || found.client?.id !== caller.client?.id) throw noRequest(id, 'that you have made for this action');
    const { outcome, url, lapsesAt } = found;
    return {
      ...{ id, state: found.state, lapsesAt },
      ...(outcome ? { outcome } : {}),
      ...(url ? { url } : {}),
      ...answerIn(found),
    };
  }

  async read(id: number, call: ApprovalCall): Promise<ApprovalContent> {
    const request = await this.#opened(id);
    const { collection, action, personId, content, state } = request;
    const empty = { id, collection, action, values: {}, records: [] };
    if (!content) return { ...empty, problem: 'Its values are not kept any more.' };
    const target = findTarget(call.state.model, request);
    const isOwn = personId === call.context.caller.id;
    if ('problem' in target) {
      return { ...empty, problem: outdated(target.problem).message, ...(isOwn ? answerIn(request) : {}) };
    }
    if (!isOwn) await requireApprover(call, target, { personId, content });
    const problem = state === 'asked' ? await problemOf(this.#prepare({ ...request, content }, call)) : null;
    const records = shownTo(target.collection, content);
    const { form } = target.action.definition;
    const fields = Array.isArray(form) ? knownFormFields(call.state.model, form) : [];
    return { ...empty, values: { ...content.values }, fields, records, problem, ...answerIn(request) };
  }

  async grant(id: number, comment: string | undefined, call: ApprovalCall): Promise<ActionOutcome> {
    const { caller } = call.context;
    if (caller.client) throw onlyPeople();
    const request = await this.#opened(id);
    const { content, personId, collection, action } = request;
    if (request.state !== 'asked' || !content) throw answered();
    const target = targetIn(call.state.model, request);
    await requireApprover(call, target, { personId, content });
    const { claims, model, run } = await this.#prepare({ ...request, content }, call);
    const runId = this.#random.uuid();
    const { keepsResult } = await this.#take(id, caller.id, runId, comment);
    const act = { action: 'action', label: action, collection, recordIds: content.recordIds } as const;
    const by = { source: 'rest', claims, correlationId: caller.requestId, model, approval: id } as const;
    let end: Omit<ApprovalOutcome, 'runId'> = { outcome: 'failed' };
    try {
      const ended = await this.#reporter.carryOut(act, by, run, (result, report) =>
        report({ status: hasFailed(result) ? 'failed' : 'completed' }),
      );
      const outcome = hasFailed(ended) ? 'failed' : 'succeeded';
      end = { outcome, ...(keepsResult ? { result: keptResult(ended.result) } : {}) };
      return ended;
    } finally {
      await this.#tellOutcome(id, { runId, ...end });
    }
  }

  async #opened(id: number): Promise<OpenedApproval> {
    const found = await this.#platform.approvalRequests.open(id);
    if (found) return found;
    throw noRequest(id);
  }

  /** The platform knows roles and not records, so it asks who of them may grant the request. The request is filed, whatever becomes of this. */
  async #tellApprovers(request: FiledRequest, candidates: readonly number[], call: ApprovalCall): Promise<void> {
    try {
      const approvers: number[] = [];
      for (let done = 0; done < candidates.length; done += candidatesAtOnce) {
        const some = candidates.slice(done, done + candidatesAtOnce);
        const may = await Promise.all(some.map((id) => this.#mayGrant(id, request, call)));
        approvers.push(...some.filter((_, place) => may[place]));
      }
      await this.#platform.approvalRequests.tellApprovers(request.id, approvers);
    } catch (error) {
      const told = { approval: request.id, error };
      this.#logger.log('Warn', 'The platform was not told who may grant a request; mails about it use roles.', told);
    }
  }

  /** By what a grant would ask, with fresh rights. */
  async #mayGrant(id: number, request: FiledRequest, { served, context }: ApprovalCall): Promise<boolean> {
    const person = await this.#platform.person(id);
    if (!person) return false;
    const state = await stateFor(served, person);
    const { timezone, requestId } = context.caller;
    const caller = { ...person, ...state.authoriser.namesOf(person), timezone, requestId };
    try {
      await requireApprover({ state, context: { ...context, caller } }, targetIn(state.model, request), request);
      return true;
    } catch (error) {
      if (publicErrorOf(error).status < 500) return false;
      throw error;
    }
  }

  /** Look again at what was asked for, as who asked. */
  async #prepare(request: WaitingRequest, { state: reader, served, context }: ApprovalCall): Promise<Prepared> {
    const person = await this.#platform.person(request.personId);
    if (!person) throw outdated('who asked is not a member of the project any more');
    const claims = request.client ? { ...person, client: request.client } : person;
    const state = await stateFor(served, claims);
    const { timezone } = request.content;
    const { requestId } = context.caller;
    const caller = { ...claims, ...state.authoriser.namesOf(claims), timezone, requestId };
    const target = targetIn(state.model, request);
    const { collection } = targetIn(reader.model, request);
    const asked = { ...context, caller };
    const run = await state.actions.prepareRequested(target, request.content, asked, collection);
    return { claims, model: state.model, run };
  }

  /** Take the request for one run. Of several who grant at once, one goes on. */
  async #take(id: number, approverId: number, runId: string, comment: string | undefined): Promise<GrantedApproval> {
    try {
      const grant = { approverId, runId, ...(comment === undefined ? {} : { comment }) };
      return await this.#platform.approvalRequests.grant(id, grant);
    } catch (error) {
      throw isCloudError(error) && error.code === 'REQUEST_CONFLICT' ? answered() : unconfirmed(error);
    }
  }

  /** The action ran, whatever becomes of this. */
  async #tellOutcome(id: number, end: ApprovalOutcome): Promise<void> {
    try {
      await this.#platform.approvalRequests.end(id, end);
    } catch (error) {
      const told = { approval: id, error };
      this.#logger.log('Warn', 'The platform could not be told how an approved action ended.', told);
    }
  }
}

/** How many people are looked at at once. */
const candidatesAtOnce = 10;

/** How a request stands. */
export type ApprovalStanding = Pick<FiledApproval, 'id' | 'state' | 'lapsesAt'> &
  Partial<Pick<OpenedApproval, 'outcome' | 'url'>> &
  Pick<ApprovalContent, 'result' | 'fileIsWith'>;

/** A request that was filed just now. */
interface FiledRequest extends Pick<OpenedApproval, 'id' | 'personId' | 'collection' | 'action'> {
  readonly content: Pick<RequestedRun, 'recordIds'>;
}

/** A request whose values are kept. */
type WaitingRequest = OpenedApproval & { readonly content: NonNullable<OpenedApproval['content']> };

interface Prepared {
  readonly claims: AgentTokenClaims;
  readonly model: CompiledModel;
  readonly run: RunRequested;
}

/** What the action answered, and who has the file of it. */
function answerIn({ result, decidedBy }: OpenedApproval): Pick<ApprovalContent, 'result' | 'fileIsWith'> {
  if (!result) return {};
  return { result, ...(result.type === 'file' && decidedBy ? { fileIsWith: decidedBy } : {}) };
}

function hasFailed({ result }: ActionOutcome): boolean {
  return result?.type === 'error';
}

function requireApprover(
  { state, context }: Pick<ApprovalCall, 'state' | 'context'>,
  target: ActionTarget,
  { personId, content }: { readonly personId: number; readonly content: Pick<RequestedRun, 'recordIds'> },
): Promise<void> {
  const { recordIds } = content;
  return state.actions.requireApprover(target, { requesterId: personId, recordIds }, context);
}

/** The action of a request, which a deployment may have removed. */
function findTarget(
  model: CompiledModel,
  { collection: name, action: actionName }: Pick<OpenedApproval, 'collection' | 'action'>,
): ActionTarget | { readonly problem: string } {
  const collection = findCollection(model, name);
  const action = collection && [...collection.actions.values()].find((each) => each.name === actionName);
  return action ? { collection, action } : { problem: `there is no action "${actionName}" of "${name}" any more` };
}

function targetIn(model: CompiledModel, request: Pick<OpenedApproval, 'collection' | 'action'>): ActionTarget {
  const target = findTarget(model, request);
  if ('problem' in target) throw outdated(target.problem);
  return target;
}

/** Why a request cannot be granted now; `null` where it can. */
async function problemOf(prepared: Promise<unknown>): Promise<string | null> {
  try {
    await prepared;
    return null;
  } catch (error) {
    const told = outdatedBy(error);
    if (isCloudError(told) && told.code === 'ACTION_APPROVAL_OUTDATED') return told.message;
    throw told;
  }
}

/** @param which follows the sentence. */
function noRequest(id: number, which = ''): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `There is no request ${id} for an approval${which === '' ? '' : ` ${which}`}.`,
    'List the requests: vendor-cloud approvals list.',
  );
}

function onlyPeople(): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    'A program does not grant approvals for its person.',
    'Grant it yourself: in the console, or with the token of "vendor-cloud login".',
  );
}

function answered(): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    'The request does not wait for an answer any more: it was answered or withdrawn, or it has lapsed. Nothing ran.',
    'Look at it again: vendor-cloud approvals list.',
  );
}

function unconfirmed(cause: unknown): CloudError {
  return cloudError(
    'ACTION_APPROVAL_UNCONFIRMED',
    'The platform could not be asked whether the request still waits.',
    'Send the request again in a moment.',
    { cause },
  );
}

function noCollection(name: string): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `There is no collection "${name}".`, 'Use a collection of the schema.');
}

function tooLarge(): CloudError {
  return cloudError(
    'REQUEST_TOO_LARGE',
    `The form values and the records of a request have more than ${maxApprovalBytes / 1024} KiB.`,
    'Select fewer records, or give the action smaller files.',
  );
}
