import { type CatalogueEntry, catalogue } from '#kernel/errors/catalogue';
import { type CloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import { isRefusal } from '../../user-code/refusal-of.ts';

/** An error as a client of the agent may see it. */
export interface PublicError {
  readonly name: string;
  readonly detail: string;
  readonly status: number;
  readonly code: CloudError['code'];
  readonly nextSteps: readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The application's own words for an error; `undefined` for the usual ones. */
export type CustomizeErrorMessage = (error: unknown) => string | null | undefined;

const badGateway = 502;

/** Codes with a message that quotes an error of foreign code, which may hold a query or a secret. */
const withheld: ReadonlySet<string> = new Set(['INTERNAL_BUG', 'CUSTOMIZATION_FAILED']);

/** What an agent needs to put its errors into words. */
export interface PublicErrorOptions {
  readonly logger: Logger;
  readonly customizeErrorMessage?: CustomizeErrorMessage | undefined;
}

/** An error of a request for its client, and those that are together with it. What went wrong inside is logged. */
export function publicErrorsOf(
  error: unknown,
  { logger, customizeErrorMessage }: PublicErrorOptions,
  correlationId: string,
): readonly [PublicError, ...PublicError[]] {
  const shown = (one: unknown) =>
    publicErrorOf(one, customizeErrorMessage, (failure) =>
      logger.log('Error', 'customizeErrorMessage threw.', { correlationId, error: failure }),
    );
  const first = shown(error);
  if (first.status >= 500) logger.log('Error', 'A request failed.', { correlationId, error });
  return [first, ...(isCloudError(error) ? error.others.map(shown) : [])];
}

/**
 * Shape any error for a client: without stack, cause and words of foreign code, but with the words that the application
 * chose.
 *
 * @param onFailure Gets the error of a `customize` that threw.
 */
export function publicErrorOf(
  thrown: unknown,
  customize?: CustomizeErrorMessage,
  onFailure?: (error: unknown) => void,
): PublicError {
  const error = usualErrorOf(thrown);
  try {
    const detail = customize?.(originOf(thrown));
    return detail ? { ...error, detail } : error;
  } catch (failure) {
    onFailure?.(failure);
    return error;
  }
}

/** The error that customization code itself threw, because its application knows it; else the error as it is. */
function originOf(thrown: unknown): unknown {
  if (!isCloudError(thrown)) return thrown;
  const isCustomizations = thrown.code === 'CUSTOMIZATION_FAILED' || isRefusal(thrown.cause);
  return isCustomizations ? (thrown.cause ?? thrown) : thrown;
}

function usualErrorOf(thrown: unknown): PublicError {
  const error = toCloudError(thrown);
  const entry: CatalogueEntry = catalogue[error.code];
  // When the platform refuses the agent, the session of the client may still be valid.
  const status = entry.kind === 'platform' ? Math.max(entry.status, 502) : entry.status;
  const name = error.wireName ?? entry.wireName ?? 'InternalServerError';
  const head = { name, status, code: error.code };
  if (withheld.has(error.code)) {
    const nextSteps = ['Look up the correlation id of the response in the log of the agent.'];
    return { ...head, detail: 'Unexpected error', nextSteps };
  }
  if (entry.kind === 'environment' || entry.kind === 'platform') {
    // A client must not see the address of the database or the platform. It may know whether a retry helps.
    const nextSteps = entry.recover === 'retry' ? ['Try again in a moment.'] : ['Tell whoever runs the agent.'];
    // When the platform refuses the agent, the client made no mistake.
    return {
      ...head,
      status: entry.status < 500 ? badGateway : entry.status,
      detail: 'The agent cannot answer now.',
      nextSteps,
    };
  }
  const hasData = Object.keys(error.details).length > 0;
  return { ...head, detail: error.message, nextSteps: error.nextSteps, ...(hasData ? { data: error.details } : {}) };
}
