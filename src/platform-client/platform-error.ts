import * as z from 'zod';
import { errorEnvelopeSchema } from '#contracts/error-envelope';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { HttpResponse } from '#kernel/ports/http';

/** Codes a platform may give that mean more than "refused" on this side. */
const namedRefusals = [
  'BUNDLE_TOO_LARGE',
  'BUNDLE_DIGEST_MISMATCH',
  'PERMISSION_FILE_INVALID',
  'REQUEST_CONFLICT',
] as const;

/**
 * The error of an answer that is not a success, with the platform's own words where it gave some.
 *
 * @param isOfPerson whether the request carried the token of somebody, who named what the request is about. An agent names nothing.
 */
export function platformErrorOf(response: HttpResponse, host: string, isOfPerson: boolean): CloudError {
  const answer = readEnvelope(response);
  const isAbsent = isOfPerson && response.status === 404 && answer !== undefined && tellsOfAbsence(answer);
  const code = isAbsent ? 'REQUEST_NOT_FOUND' : codeOf(response.status, answer?.code, answer?.isOfPublicApi ?? false);
  const said = answer?.detail ? `: ${withFullStop(answer.detail)}` : ` with status ${response.status}.`;
  return cloudError(
    code,
    `The platform server at ${host} ${verbs[code]}${said}`,
    nonEmpty(answer?.nextSteps) ?? [retryStep(response) ?? steps[code]],
    { safeDetails: { status: response.status, ...retryAfter(response) } },
  );
}

function retryAfter({ headers }: Pick<HttpResponse, 'headers'>): { readonly retryAfterSeconds?: number } {
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? { retryAfterSeconds: Number(seconds) } : {};
}

/** The server says when to come back as a number of seconds or as a date. */
function retryStep({ status, headers }: HttpResponse): string | undefined {
  if (status !== 429) return undefined;
  const { retryAfterSeconds } = retryAfter({ headers });
  if (retryAfterSeconds !== undefined) return `Wait ${retryAfterSeconds} s, then try again.`;
  const date = new Date(headers['retry-after'] ?? '');
  return Number.isNaN(date.getTime()) ? undefined : `Wait until ${date.toISOString()}, then try again.`;
}

/** Whether the platform looked for something and did not find it. A route that it does not have is not a fault of who calls. */
function tellsOfAbsence({ code, name, isOfPublicApi }: NonNullable<ReturnType<typeof readEnvelope>>): boolean {
  return isOfPublicApi || (code === 'REQUEST_NOT_FOUND' && name !== 'UnknownRouteError');
}

type AnswerCode =
  | (typeof namedRefusals)[number]
  | 'REQUEST_NOT_FOUND'
  | 'PLATFORM_UNAUTHENTICATED'
  | 'PLATFORM_BUSY'
  | 'PLATFORM_REFUSED'
  | 'PLATFORM_FAILED';

function codeOf(status: number, given: string | undefined, isOfPublicApi: boolean): AnswerCode {
  const named = namedRefusals.find((code) => code === given);
  if (named) return named;
  if (status === 401) return 'PLATFORM_UNAUTHENTICATED';
  if (status === 413 && !isOfPublicApi) return 'BUNDLE_TOO_LARGE';
  if (isOfPublicApi && (status === 409 || status === 412)) return 'REQUEST_CONFLICT';
  if (status === 429) return 'PLATFORM_BUSY';
  return status >= 400 && status < 500 ? 'PLATFORM_REFUSED' : 'PLATFORM_FAILED';
}

const verbs: Record<AnswerCode, string> = {
  PLATFORM_UNAUTHENTICATED: 'does not accept the credentials',
  PLATFORM_BUSY: 'gets too many requests',
  PLATFORM_REFUSED: 'refused the request',
  PLATFORM_FAILED: 'could not answer',
  BUNDLE_TOO_LARGE: 'does not take a body of this size',
  BUNDLE_DIGEST_MISMATCH: 'received other bytes than were announced',
  PERMISSION_FILE_INVALID: 'does not take the rights',
  REQUEST_CONFLICT: 'refused the request',
  REQUEST_NOT_FOUND: 'has no such thing',
};
const steps: Record<AnswerCode, string> = {
  PLATFORM_UNAUTHENTICATED:
    'Run "vendor-cloud login", or set SERVICE_AUTH_TOKEN or SERVICE_ENV_SECRET to a value of this platform.',
  PLATFORM_BUSY: 'Wait a moment, then try again.',
  PLATFORM_REFUSED: 'Correct what the message names, then try again.',
  PLATFORM_FAILED: 'Try again; if it stays, tell whoever runs the platform.',
  BUNDLE_TOO_LARGE: 'Remove large dependencies or data files from the bundle.',
  BUNDLE_DIGEST_MISMATCH: 'Push again.',
  PERMISSION_FILE_INVALID: 'Correct the places that the message names.',
  REQUEST_CONFLICT: 'Look at what is there now, then try again.',
  REQUEST_NOT_FOUND: 'Check the name or the number.',
};

/** The answer of the platform, or of its public API. */
const answerSchema = z.union([
  errorEnvelopeSchema.transform(({ errors: [error] }) => error && { ...error, isOfPublicApi: false }),
  z.object({ detail: z.string() }).transform(({ detail }) => ({
    detail,
    name: undefined,
    code: undefined,
    nextSteps: undefined,
    isOfPublicApi: true,
  })),
]);

function readEnvelope(response: HttpResponse) {
  try {
    return answerSchema.parse(JSON.parse(new TextDecoder().decode(response.body)));
  } catch {
    // A proxy in between answers in its own format; the status alone then says what there is to say.
    return undefined;
  }
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function nonEmpty(list: readonly string[] | undefined): [string, ...string[]] | undefined {
  const [first, ...rest] = list ?? [];
  return first === undefined ? undefined : [first, ...rest];
}
