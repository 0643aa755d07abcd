/** A call of another program, without a shell. */
export interface ProgramCall {
  /** Its name on the search path, or its absolute path. */
  readonly program: string;
  readonly parameters: readonly string[];
  /** Absolute; the working folder of the command by default. */
  readonly folder?: string;
  /** What stands on its stdin; nothing by default. */
  readonly input?: string;
  /** It is ended after so many milliseconds. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

export interface ProgramResult {
  /** `null` when it could not be started, or did not end by itself. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Other programs of the machine, such as git. */
export interface Programs {
  /** Resolves whatever the outcome is. */
  run(call: ProgramCall): Promise<ProgramResult>;
}
