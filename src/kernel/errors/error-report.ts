import { type CloudError, isCloudError, toCloudError } from './cloud-error.ts';

/** A `CloudError` as data: what `--json` prints and what crosses from a worker to its host. */
export interface ErrorReport {
  readonly code: CloudError['code'];
  readonly kind: CloudError['kind'];
  readonly recover: CloudError['recover'];
  readonly message: string;
  readonly nextSteps: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  readonly location?: CloudError['location'];
}

/** Shape an error for a machine. Stack, cause and `safeDetails` stay behind. */
export function reportOfError(thrown: unknown): ErrorReport {
  const error = isCloudError(thrown) ? thrown : toCloudError(thrown);
  return {
    code: error.code,
    kind: error.kind,
    recover: error.recover,
    message: error.message,
    nextSteps: error.nextSteps,
    ...(Object.keys(error.details).length > 0 ? { details: error.details } : {}),
    ...(error.location ? { location: error.location } : {}),
  };
}
