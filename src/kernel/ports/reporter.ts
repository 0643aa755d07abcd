import type { CloudError } from '../errors/cloud-error.ts';

/** Says how far a step is, such as `1,200,000 rows`; as often as it likes. */
export type TellProgress = (howFar: string) => void;

/** How a flow reports its progress to a person or a script. The terminal decides what that looks like. */
export interface Reporter {
  /** Carry out one step that may take over a second, shown as it runs. */
  step<Result>(title: string, work: (tell: TellProgress) => Promise<Result>): Promise<Result>;
  info(message: string): void;
  warn(message: string, nextStep?: string): void;
  /** An error that does not end the flow. */
  problem(error: CloudError): void;
}

export const silentReporter: Reporter = {
  step: (_title, work) => work(() => undefined),
  info: () => undefined,
  warn: () => undefined,
  problem: () => undefined,
};
