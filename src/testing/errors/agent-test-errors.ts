import type { ZodType } from 'zod';
import { CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/** What the agent answered. */
export interface RefusedAnswer {
  /** `GET /service/orders`: the request that was refused. */
  readonly request: string;
  /** HTTP status, 300 or more. */
  readonly status: number;
  /** The body, parsed where it is JSON; `null` where it is empty. */
  readonly body: unknown;
  readonly responseText: string;
}

/**
 * The agent answered with a status outside of 200 to 299. Code `TEST_AGENT_REFUSED`; `details` has `status` and `body` as well.
 */
export class AgentHttpError extends CloudError {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Body of the answer: parsed JSON, else text, `null` where it is empty. `errors[0]` has `name`, `code`, `detail` and `data`. */
  readonly body: unknown;
  /** Body of the answer as it was sent. */
  readonly responseText: string;

  constructor({ request, status, body, responseText }: RefusedAnswer, reason = reasonIn(body)) {
    super({
      code: 'TEST_AGENT_REFUSED',
      message: `${request} was answered with ${status}${reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`}.`,
      nextSteps: ['See status and body of the error for what was answered.'],
      details: { status, body },
    });
    this.status = status;
    this.body = body;
    this.responseText = responseText;
  }
}

/** The action runs only with an approval, which the user does not have (403). */
export class ActionRequiresApprovalError extends AgentHttpError {
  /** Ids of the roles whose people may approve; empty where nobody may. */
  readonly roleIds: readonly number[];

  constructor(answer: RefusedAnswer) {
    super(answer);
    const ids = memberOf(firstErrorIn(answer.body)?.['data'], 'roleIdsAllowedToApprove');
    this.roleIds = Array.isArray(ids) ? ids.filter((id) => typeof id === 'number') : [];
  }
}

/** The agent did not take a value of the form, before it ran the code of the action (400 or 422). */
export class ActionFormValidationError extends AgentHttpError {
  /** Id of the field; `undefined` where the agent names none. */
  readonly field: string | undefined;

  constructor(answer: RefusedAnswer) {
    super(answer);
    const field = memberOf(firstErrorIn(answer.body)?.['data'], 'field');
    this.field = typeof field === 'string' ? field : undefined;
  }
}

/** The code of the action answered with `resultBuilder.error(message, { html })` (400). */
export class ActionFailedError extends AgentHttpError {
  /** What the code said. */
  readonly reason: string;
  /** What it shows beside the message; `undefined` for nothing. */
  readonly html: string | undefined;

  constructor(answer: RefusedAnswer, reason: string) {
    super(answer, reason);
    const html = memberOf(answer.body, 'html');
    this.reason = reason;
    this.html = typeof html === 'string' ? html : undefined;
  }
}

/** The class that fits a refused request to an action. */
export function actionErrorOf(error: AgentHttpError, answer: RefusedAnswer): AgentHttpError {
  const reason = memberOf(answer.body, 'error');
  if (error.status === 400 && typeof reason === 'string') return new ActionFailedError(answer, reason);
  const { name, data } = firstErrorIn(answer.body) ?? {};
  if (name === 'CustomActionRequiresApprovalError') return new ActionRequiresApprovalError(answer);
  const isAboutForm = memberOf(data, 'field') !== undefined && [400, 422].includes(error.status);
  return isAboutForm ? new ActionFormValidationError(answer) : error;
}

function reasonIn(body: unknown): string | undefined {
  const detail = firstErrorIn(body)?.['detail'];
  return typeof detail === 'string' && detail !== '' ? detail : undefined;
}

function firstErrorIn(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const errors = memberOf(body, 'errors');
  const [first]: unknown[] = Array.isArray(errors) ? errors : [];
  return isRecord(first) ? first : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The answer, where it has the expected shape. Throws `TEST_ANSWER_UNEXPECTED`, whose `details` have the `body`. */
export function expectShape<Shape>(shape: ZodType<Shape>, body: unknown, what: string): Shape {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw unexpectedAnswer(`The agent answered with something else than ${what}.`, body, parsed.error);
}

export function unexpectedAnswer(message: string, body: unknown, cause?: unknown): CloudError {
  return cloudError('TEST_ANSWER_UNEXPECTED', message, 'See details.body of the error for what the agent answered.', {
    details: { body },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** What a name is looked for as. */
type Named = 'collection' | 'relation' | 'segment' | 'action' | 'field' | 'option' | 'chart' | 'user';

/** A test names something that does not exist. Code `TEST_NAME_UNKNOWN`. */
export class UnknownNameError extends CloudError {
  /** The name in the test. */
  readonly wanted: string;
  /** The name that was most likely meant; `undefined` where none is close. */
  readonly nearest: string | undefined;

  /** @param owner Where it was looked for: `The collection "orders"`. */
  constructor(owner: string, what: Named, wanted: string, known: readonly string[]) {
    const nearest = nearestName(wanted, known);
    super({
      code: 'TEST_NAME_UNKNOWN',
      message: `${owner} has no ${what} "${wanted}".${didYouMean(nearest)}`,
      nextSteps: [known.length === 0 ? `There is no ${what} at all.` : `Name one of: ${known.join(', ')}.`],
    });
    this.wanted = wanted;
    this.nearest = nearest;
  }
}

/** The form of an action has no such field now. A field with an `if` comes and goes with what is filled in. */
export class UnknownActionFieldError extends UnknownNameError {
  constructor(action: string, wanted: string, known: readonly string[]) {
    super(`The form of "${action}"`, 'field', wanted, known);
  }
}
