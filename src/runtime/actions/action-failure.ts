import { CloudError, isCloudError } from '#kernel/errors/cloud-error';

const nextStep = 'Correct the code of the action, or return resultBuilder.error(…) for what its user can mend.';

/** Code of an action that does not do what it must; `problem` may be shown to its author alone. */
export function actionFailed(problem: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message: problem,
    nextSteps: [nextStep],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Run code of the user: errors of ours pass through it as they are; anything else is that code's. */
export async function runActionCode<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isCloudError(error)) throw error;
    throw actionFailed(`${what} threw: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** A value of a form that cannot be taken; the field is named in the message and in the details. */
export function invalidField(field: string, problem: string, nextStep: string): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message: `The field "${field}" of the form ${problem}`,
    nextSteps: [nextStep],
    details: { field },
  });
}
