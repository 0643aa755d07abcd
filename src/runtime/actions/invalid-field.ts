import { CloudError } from '#kernel/errors/cloud-error';

/** A value of a form that cannot be taken; the field is named in the message and in the details. */
export function invalidField(field: string, problem: string, nextStep: string): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message: `The field "${field}" of the form ${problem}`,
    nextSteps: [nextStep],
    details: { field },
  });
}
