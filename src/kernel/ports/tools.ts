/** A call of another program, without a shell. */
export interface ToolCall {
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
