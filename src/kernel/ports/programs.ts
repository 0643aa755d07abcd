export interface ProgramInput {
  /** The program, then its arguments. No shell is involved. */
  readonly words: readonly string[];
  readonly folder: string;
  /** Every environment variable it gets. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where its stdout goes. Its stdin and stderr are those of this process. */
  readonly output: 'stdout' | 'stderr';
}

export interface ProgramEnd {
  /** As a shell tells it: 128 and the number of the signal for a program that a signal ended. */
  readonly exitCode: number;
  /** The signal that ended it. */
  readonly signal: string | null;
}

export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>;
  /** Send it a signal; silent when it has ended. */
  send(signal: string): void;
}

export interface ScriptInput {
  /** Absolute path of a Node.js script. */
  readonly script: string;
  readonly parameters: readonly string[];
  readonly folder: string;
  /** Ends the script. */
  readonly signal: AbortSignal;
}

export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: string;
}

/** Programs of the user that run in the place of this process. They do not outlive it, however it ends. */
export interface Programs {
  /** Rejects with `USAGE_INVALID` when there is no such program. */
  start(input: ProgramInput): Promise<RunningProgram>;
  /** Run a script to its end. Resolves with nothing when `signal` ended it. */
  runScript(input: ScriptInput): Promise<ScriptEnd | undefined>;
}
