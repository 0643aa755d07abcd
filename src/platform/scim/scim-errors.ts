import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { envelopeOf } from '../server/error-mapper.ts';

/** What RFC 7644 (3.12) calls a refusal, where it has a name. */
type ScimType =
  | 'uniqueness'
  | 'invalidFilter'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

const errorSchemaId = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** A refusal of a request of SCIM. */
export function scimError(scimType: ScimType, message: string, nextStep: string, cause?: unknown): CloudError {
  const code = scimType === 'uniqueness' ? 'REQUEST_CONFLICT' : 'REQUEST_INVALID';
  return cloudError(code, message, nextStep, { safeDetails: { scimType }, ...(cause === undefined ? {} : { cause }) });
}

/** The body of a refusal, and its status. A fault of ours says no more than that. */
export function scimErrorBody(error: CloudError): { readonly status: number; readonly body: object } {
  const { status } = envelopeOf(error);
  const { scimType } = error.safeDetails as { readonly scimType?: ScimType };
  const detail = status >= 500 ? 'The platform failed.' : [error.message, ...error.nextSteps].join(' ');
  return {
    status,
    body: {
      schemas: [errorSchemaId],
      status: String(status),
      ...(scimType === undefined ? invalidBody(error, status) : { scimType }),
      detail,
    },
  };
}

function invalidBody({ code }: CloudError, status: number): { readonly scimType?: ScimType } {
  return code === 'REQUEST_INVALID' && status === 400 ? { scimType: 'invalidValue' } : {};
}

/** What the library of SCIM has thrown, as an error of the catalogue. */
export function fromLibrary(error: unknown, fallback: ScimType): CloudError {
  if (isCloudError(error)) return error;
  if (!(error instanceof Error)) throw error;
  const { scimType } = error as { readonly scimType?: ScimType };
  const known = scimType ?? fallback;
  return scimError(known, `${error.message.replace(/\.$/, '')}.`, 'Correct the request.', error);
}
