import type { ErrorEnvelope } from '#contracts/error-envelope';
import { type CatalogueEntry, catalogue, type ErrorCode } from '#kernel/errors/catalogue';
import { type CloudError, cloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';

/** What the web framework itself refuses, as an error of the catalogue; anything else thrown stays what it is. */
export function cloudErrorOf(thrown: unknown): CloudError {
  if (isCloudError(thrown)) return thrown;
  const status = frameworkStatusOf(thrown);
  if (status === 413) {
    return cloudError('REQUEST_TOO_LARGE', 'The body of the request is too large.', 'Send less at once.', {
      cause: thrown,
    });
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return cloudError(
      'REQUEST_INVALID',
      'The request cannot be read: its address, its headers or its JSON body is malformed.',
      'Send a JSON body with "Content-Type: application/json".',
      { safeDetails: { frameworkCode: frameworkCodeOf(thrown) }, cause: thrown },
    );
  }
  return toCloudError(thrown);
}

/** They are about another server than the platform, and say nothing of its inside. */
const openCodes: ReadonlySet<ErrorCode> = new Set(['AGENT_UNREACHABLE', 'AGENT_SIGN_IN_REFUSED', 'AGENT_TOKEN_ENDED']);

/** The body of an error answer. A fault of ours says nothing of what happened inside. */
export function envelopeOf(error: CloudError): { readonly status: number; readonly body: ErrorEnvelope } {
  const { status, wireName }: CatalogueEntry = catalogue[error.code];
  const isOurs = error.kind === 'bug' || (status >= 500 && !openCodes.has(error.code));
  return {
    status,
    body: {
      errors: [
        {
          name: error.wireName ?? wireName ?? 'PlatformError',
          detail: isOurs ? 'Unexpected error' : error.message,
          status,
          code: error.code,
          ...(isOurs || error.nextSteps.length === 0 ? {} : { nextSteps: [...error.nextSteps] }),
        },
      ],
    },
  };
}

function frameworkCodeOf(thrown: unknown): string | undefined {
  const isFramework =
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    thrown.code.startsWith('FST_ERR_');
  return isFramework ? String(thrown.code) : undefined;
}

function frameworkStatusOf(thrown: unknown): number | undefined {
  if (frameworkCodeOf(thrown) === undefined && !(thrown instanceof SyntaxError)) return undefined;
  return typeof thrown === 'object' &&
    thrown !== null &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number'
    ? thrown.statusCode
    : undefined;
}
