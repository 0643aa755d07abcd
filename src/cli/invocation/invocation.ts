import type { Config } from '@oclif/core/config';
import type { ExitCode } from '#kernel/errors/catalogue/exit-codes';
import type { ProcessEnvironment } from '#node/environment/process-environment';
import type { LiveTerminal } from '../terminal/terminal.ts';

/** One invocation of the program: what `main` prepared for the command it calls. */
export interface Invocation {
  readonly environment: ProcessEnvironment;
  readonly terminal: LiveTerminal;
  /** Aborts on the first Ctrl-C or termination signal. */
  readonly interrupted: AbortSignal;
  /** Register an undo for an interrupted run; returns a function that removes it. */
  onInterrupt(cleanup: () => Promise<void>): () => void;
  /**
   * The command serves until it gets a signal to end, so that an interrupt is its proper end: the process exits with 0, and has so
   * many milliseconds for it. `codeUnread` is for `endUnread`.
   */
  serve(endingMs: number, codeUnread?: ExitCode): void;
  /**
   * From now on the command ends as if by an interrupt when nobody can read its output any more. The process then exits with `code`,
   * 0 by default.
   */
  endUnread(code?: ExitCode): void;
  /** `take` gets the signals that would interrupt the command, until the returned function is called. */
  handOverSignals(take: (signal: string) => void): () => void;
  /** Ctrl-C, where a terminal in raw mode delivers it as a key. */
  interrupt(): void;
}

const invocationKey = Symbol('invocation');

/** The framework makes the commands and hands them its configuration (a copy of it), so the invocation travels in the options of that. */
export async function loadConfig(root: string, invocation: Invocation): Promise<Config> {
  const { Config } = await import('@oclif/core/config');
  const options = { root, [invocationKey]: invocation };
  return Config.load(options);
}

export function invocationOf(config: Config): Invocation {
  const { [invocationKey]: invocation } = config.options as { readonly [invocationKey]?: Invocation };
  if (!invocation) throw new Error('The command was not started through main.');
  return invocation;
}
