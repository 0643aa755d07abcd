import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { legibleThrown } from './call-handler.ts';
import { locateInProject } from './stack-places.ts';

/**
 * Turn an error of the customization code into `CUSTOMIZATION_FAILED` for its developer, with its message, and with the
 * place in the project when the stack has one. Other errors of ours stay what they are.
 *
 * @param doing What the code was doing: "The customization code", "The field …".
 */
export function customizationError(value: unknown, doing: string, projectRoot: string | undefined): CloudError {
  const thrown = legibleThrown(value);
  if (isCloudError(thrown) && thrown.code !== 'CUSTOMIZATION_FAILED') return thrown;
  const cause = isCloudError(thrown) ? (thrown.cause ?? thrown) : thrown;
  const location = (isCloudError(thrown) ? thrown.location : undefined) ?? locateInProject(cause, projectRoot);
  return cloudError(
    'CUSTOMIZATION_FAILED',
    isCloudError(thrown) ? withWords(thrown.message, cause) : `${doing} threw ${textOf(cause)}`,
    nextStepOf(cause, location !== undefined),
    { ...(location ? { location } : {}), cause },
  );
}

/** An error of ours may keep back what the code said, since it may reach a client. */
function withWords(message: string, cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  const isTold = isCloudError(cause) || (said !== '' && message.endsWith(`: ${said}`));
  return isTold ? message : `${message} It said: ${textOf(cause)}`;
}

const codesOfMissing = new Set(['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']);

function nextStepOf(cause: unknown, isPlaceShown: boolean): string {
  if (cause instanceof Error && 'code' in cause && codesOfMissing.has(String(cause.code)))
    return 'Import an installed package by its name, so that it becomes a part of the built code: no other package is there when the code runs.';
  return isPlaceShown ? 'Correct the place shown and save.' : 'Correct the code and save.';
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
}
