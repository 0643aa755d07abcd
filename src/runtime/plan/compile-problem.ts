import { CloudError, type SourceLocation } from '#kernel/errors/cloud-error';

/** Something wrong with one declaration. */
export interface CompileProblem {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
}

/** All problems of a customization in one error, its `location` that of the first that has one. */
export function customizationInvalid(problems: readonly CompileProblem[]): CloudError {
  const lines = problems.map(({ message, location }) =>
    location ? `${message} (${location.file}:${location.line})` : message,
  );
  const location = problems.find((problem) => problem.location)?.location;
  return new CloudError({
    code: 'CUSTOMIZATION_INVALID',
    message:
      lines.length === 1
        ? (lines[0] ?? '')
        : `${lines.length} declarations do not fit the model:\n${lines.map((line) => `- ${line}`).join('\n')}`,
    nextSteps: ['Correct the declarations the message names, then save.'],
    details: { problems },
    ...(location ? { location } : {}),
  });
}
