import { CloudError, type CloudErrorInput } from './cloud-error.ts';
import type { ErrorReport } from './error-report.ts';

/** The error a report was made from, on this side of a thread or a wire. */
export function reviveError(report: ErrorReport): CloudError {
  // The report of a CloudError satisfied CloudErrorInput when it was thrown; the link between code and steps is only lost to the type.
  return new CloudError(report as CloudErrorInput);
}
