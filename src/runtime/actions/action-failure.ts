import { CloudError } from '#kernel/errors/cloud-error';
import { legibleThrown } from '../user-code/legible-thrown.ts';
import { refusalOf } from '../user-code/refusal-of.ts';

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

/** Run user code. Errors of ours pass through it, and refusals become ours; any other error becomes `CUSTOMIZATION_FAILED`. */
export async function runActionCode<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = legibleThrown(thrown);
    const said = error instanceof Error ? error.message : String(error);
    throw refusalOf(error) ?? actionFailed(`${what} threw: ${said}`, error);
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
