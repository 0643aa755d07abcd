import { type CloudError, cloudError, isCloudError, type SourceLocation } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Declaration } from '../customizer/declaration.ts';

/** A fault of its own kind: something is named that the schema does not have. */
export class AbsentElement {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A problem of a declaration. */
export type Fault = string | AbsentElement;

export function isFault(value: unknown): value is Fault {
  return typeof value === 'string' || value instanceof AbsentElement;
}

/** The fault as a sentence that begins with `subject`. */
export function faultOf(subject: string, fault: Fault): Fault {
  return typeof fault === 'string' ? `${subject} ${fault}` : new AbsentElement(`${subject} ${fault.text}`);
}

/** `There is no …`, with the nearest name there is. */
export function unknownName(message: string, name: string, known: Iterable<string>): AbsentElement {
  // Code that is not type checked may leave a name out.
  const nearest = typeof name === 'string' ? nearestName(name, known) : undefined;
  return new AbsentElement(`${message} "${name}".${didYouMean(nearest)}`);
}

/** Something wrong with one declaration. */
export interface CompileProblem {
  readonly message: string;
  readonly location?: SourceLocation | undefined;
  /** The declaration, where it names something that the schema does not have and could be done without. */
  readonly dispensable?: Declaration | undefined;
  /** Names of collections that two data sources have. */
  readonly sharedNames?: readonly string[] | undefined;
}

export function problemOf(fault: Fault, declaration: Declaration | undefined): CompileProblem {
  const location = declaration?.site.location;
  return typeof fault === 'string'
    ? { message: fault, location }
    : { message: fault.text, location, dispensable: declaration };
}

/** The message with its place in the code. */
export function problemText({ message, location }: CompileProblem): string {
  return location ? `${message} (${location.file}:${location.line})` : message;
}

/** All problems of a customization in one error, its `location` that of the first that has one. */
export function customizationInvalid(problems: readonly CompileProblem[]): CloudError {
  const lines = problems.map(problemText);
  const location = problems.find((problem) => problem.location)?.location;
  const sharedNames = problems.flatMap((problem) => problem.sharedNames ?? []);
  return cloudError(
    'CUSTOMIZATION_INVALID',
    lines.length === 1
      ? (lines[0] ?? '')
      : `${lines.length} declarations do not fit the model:\n${lines.map((line) => `- ${line}`).join('\n')}`,
    'Correct the declarations the message names, then save.',
    {
      details: {
        problems: problems.map(({ message, location }) => ({ message, location })),
        ...(sharedNames.length > 0 ? { sharedNames } : {}),
      },
      ...(location ? { location } : {}),
    },
  );
}

/** The message of an error that requests would always meet because of a declaration. Other errors are thrown again. */
export function requestFault(check: () => unknown): Fault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!isCloudError(error) || !error.code.startsWith('REQUEST_')) throw error;
    return error.code === 'REQUEST_FIELD_UNKNOWN' ? new AbsentElement(error.message) : error.message;
  }
}
