import { type CatalogueEntry, catalogue, type ErrorCode, type ErrorKind, type Recovery } from './catalogue.ts';

const brand = Symbol.for('@vendor/cloud/CloudError');

/** A place in a user's file, shown as a code frame. Lines and columns count from 1. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  /** The lines around the place, already cut out of the file, when the thrower had them at hand. */
  readonly frame?: string;
}

type BugCode = { [Code in ErrorCode]: (typeof catalogue)[Code]['kind'] extends 'bug' ? Code : never }[ErrorCode];

interface CommonInput {
  /** What happened and why, in one or two sentences, without secrets, SQL or stack. */
  readonly message: string;
  /** Facts that may go to logs and reports. */
  readonly safeDetails?: Readonly<Record<string, unknown>>;
  /** Facts that may hold the user's own data: shown to the user, never logged. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly location?: SourceLocation;
  /** The name in the JSON:API error envelope, where the error has another one than its code. */
  readonly wireName?: string;
  readonly cause?: unknown;
  /** What else is wrong with the same input. */
  readonly others?: readonly CloudError[];
}

export type CloudErrorInput =
  | (CommonInput & { readonly code: Exclude<ErrorCode, BugCode>; readonly nextSteps: readonly [string, ...string[]] })
  | (CommonInput & { readonly code: BugCode; readonly nextSteps?: readonly string[] });

type Facts = Omit<CommonInput, 'message'>;

/**
 * The one error class of the product. A thrower says what, why and what to do next; the surface that catches it
 * (terminal, HTTP, MCP, `--json`) decides how it looks.
 *
 * `cloudError` makes one; the constructor takes what is already an object, such as the report of another process.
 */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly recover: Recovery;
  readonly nextSteps: readonly string[];
  readonly safeDetails: Readonly<Record<string, unknown>>;
  readonly details: Readonly<Record<string, unknown>>;
  readonly location: SourceLocation | undefined;
  readonly wireName: string | undefined;
  /** What else is wrong with the same input. */
  readonly others: readonly CloudError[];

  constructor(input: CloudErrorInput) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    const entry: CatalogueEntry = catalogue[input.code];
    this.code = input.code;
    this.kind = entry.kind;
    this.recover = entry.recover;
    this.nextSteps = input.nextSteps ?? [];
    this.safeDetails = input.safeDetails ?? {};
    this.details = input.details ?? {};
    this.location = input.location;
    this.wireName = input.wireName;
    this.others = input.others ?? [];
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Make an error: its code, what happened and why, and what to do next. Only a bug of ours has no next step.
 *
 * @example
 * throw cloudError(
 *   'PROJECT_NOT_FOUND',
 *   `There is no vendor-cloud.json in ${folder} or above it.`,
 *   'Run "vendor-cloud bootstrap" to create a project here.',
 * );
 */
export function cloudError<Code extends ErrorCode>(
  code: Code,
  message: string,
  ...[nextSteps = [], facts]: Code extends BugCode
    ? [nextSteps?: string | readonly string[], facts?: Facts]
    : [nextSteps: string | readonly [string, ...string[]], facts?: Facts]
): CloudError {
  const steps = typeof nextSteps === 'string' ? [nextSteps] : nextSteps;
  return new CloudError({ code, message, nextSteps: steps, ...facts } as CloudErrorInput);
}

/** The first of several errors about one input, with the others. */
export function togetherInOne([first, ...others]: readonly [CloudError, ...CloudError[]]): CloudError {
  if (others.length === 0) return first;
  const { message, cause } = first;
  // Both are own properties of an error that a copy leaves out.
  return new CloudError({ ...first, message, cause, others } as CloudErrorInput);
}

/** True for a `CloudError` of any copy of this package: a user's bundle may carry its own. */
export function isCloudError(value: unknown): value is CloudError {
  return typeof value === 'object' && value !== null && brand in value;
}

/** Any thrown value as a `CloudError`. A value that is not one already counts as a bug of ours. */
export function toCloudError(thrown: unknown): CloudError {
  if (isCloudError(thrown)) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return cloudError('INTERNAL_BUG', `Something unexpected happened: ${message}`, [], { cause: thrown });
}
