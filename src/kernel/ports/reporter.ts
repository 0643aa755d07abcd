import type { CloudError } from '../errors/cloud-error.ts';

/** How a flow reports its progress to a person or a script. The terminal decides what that looks like. */
export interface Reporter {
  /** Carry out one step that may take over a second, shown as it runs. */
  step<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
  info(message: string): void;
  warn(message: string, nextStep?: string): void;
  /** An error that does not end the flow. */
  problem(error: CloudError): void;
}

export const silentReporter: Reporter = {
  step: (_title, work) => work(),
  info: () => undefined,
  warn: () => undefined,
  problem: () => undefined,
};
