import type { Config } from '@oclif/core/config';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import type { LiveTerminal } from './terminal.ts';

/** One run of the program: what `main` prepared for the command it calls. */
export interface Session {
  readonly environment: ProcessEnvironment;
  readonly terminal: LiveTerminal;
  /** Aborts on the first Ctrl-C or termination signal. */
  readonly interrupted: AbortSignal;
  /** Register an undo for an interrupted run; returns a function that removes it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
  /**
   * The command serves until it is told to end, so that an interrupt is its proper end: the process exits with 0, and has so
   * many milliseconds for it.
   */
  serve(endingMs: number): void;
  /** `take` gets the signals that would interrupt the command, until the returned function is called. */
  handOverSignals(take: (signal: string) => void): () => void;
  /** Ctrl-C, where a terminal in raw mode delivers it as a key. */
  interrupt(): void;
}

const sessionKey = Symbol('session');

/** The framework makes the commands and hands them its configuration (a copy of it), so the session travels in the options of that. */
export async function loadConfig(root: string, session: Session): Promise<Config> {
  const { Config } = await import('@oclif/core/config');
  const options = { root, [sessionKey]: session };
  return Config.load(options);
}

export function sessionOf(config: Config): Session {
  const { [sessionKey]: session } = config.options as { readonly [sessionKey]?: Session };
  if (!session) throw new Error('The command was not started through main.');
  return session;
}
