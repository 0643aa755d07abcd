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
  /** Ends the script at once. */
  readonly signal: AbortSignal;
  /** Whether it gets only what others leave of the processor. */
  readonly isBackground?: boolean | undefined;
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

/** A call of another program, without a shell. */
export interface ToolCall {
  /** Its name on the search path, or its absolute path. */
  readonly program: string;
  readonly parameters: readonly string[];
  /** Absolute; the working folder of the command by default. */
  readonly folder?: string;
  /** What stands on its stdin; nothing by default. */
  readonly input?: string;
  /** It is ended after this many milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface ToolResult {
  /** `null` when it could not be started, or did not end by itself. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Other tools of the machine, such as git. */
export interface Tools {
  /** Resolves whatever the outcome is. */
  run(call: ToolCall): Promise<ToolResult>;
}
