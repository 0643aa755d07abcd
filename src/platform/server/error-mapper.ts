import type { ErrorEnvelope } from '#contracts/error-envelope';
import { type CatalogueEntry, catalogue, type ErrorCode } from '#kernel/errors/catalogue';
import { type CloudError, cloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import { isDiskFull } from '#node/files/file-errors';

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

/** The body of an error answer. A fault of ours says nothing of what happened inside, but whether the store can be used. */
export function envelopeOf(error: CloudError): { readonly status: number; readonly body: ErrorEnvelope } {
  const { status, wireName }: CatalogueEntry = catalogue[error.code];
  const isOurs = error.kind === 'bug' || (status >= 500 && !openCodes.has(error.code));
  const said = isOurs ? openWordsOf(error) : { detail: error.message, nextSteps: [...error.nextSteps] };
  return {
    status,
    body: {
      errors: [
        {
          name: error.wireName ?? wireName ?? 'PlatformError',
          detail: said.detail,
          status,
          code: error.code,
          ...(said.nextSteps.length === 0 ? {} : { nextSteps: said.nextSteps }),
        },
      ],
    },
  };
}

/** Whoever runs the platform can do something about its disk. The place of the store is for its log. */
function openWordsOf(error: CloudError): { readonly detail: string; readonly nextSteps: string[] } {
  if (error.safeDetails['isFull'] === true || isDiskFull(error)) {
    return {
      detail: 'The disk of the platform is full: it stores nothing new.',
      nextSteps: ['Whoever runs the platform frees some space. It then goes on by itself.'],
    };
  }
  if (error.code !== 'PLATFORM_STORE_UNAVAILABLE') return { detail: 'Unexpected error', nextSteps: [] };
  return {
    detail: 'The platform cannot use its store now.',
    nextSteps: ['Whoever runs the platform finds the reason in its log.'],
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
