import { type CloudError, cloudError } from './cloud-error.ts';

/** A parameter or a part of the body that cannot be used; `detail` names it. */
export function invalidRequest(detail: string, nextStep: string): CloudError {
  return cloudError('REQUEST_INVALID', detail, nextStep);
}

/** A request that is well-formed and asks for what the collection or this agent cannot do. */
export function unprocessableRequest(detail: string, nextStep: string): CloudError {
  return cloudError('REQUEST_UNPROCESSABLE', detail, nextStep);
}
