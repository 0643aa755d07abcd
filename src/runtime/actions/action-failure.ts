import { CloudError, isCloudError } from '#kernel/errors/cloud-error';

const nextStep = 'Correct the code of the action, or return resultBuilder.error(…) for what its user can mend.';

/** The code of an action is wrong. Only its author may see `problem`. */
export function actionFailed(problem: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message: problem,
    nextSteps: [nextStep],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Run user code. A `CloudError` passes unchanged; any other error becomes `CUSTOMIZATION_FAILED`. */
export async function runActionCode<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (isCloudError(error)) throw error;
    throw actionFailed(`${what} threw: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** The form does not take a value. The message and the details name the field. */
export function invalidField(field: string, problem: string, nextStep: string): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message: `The field "${field}" of the form ${problem}`,
    nextSteps: [nextStep],
    details: { field },
  });
}
