import { execFile } from 'node:child_process';

export interface ProgramOutcome {
  /** `null` for a program that could not be started, or was ended by its deadline. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Output of a program that is kept, in bytes; more ends it. */
const maxBuffer = 64 * 1024 * 1024;

/**
 * Run a program to its end. Never rejects. A process library would take longer to load than git takes to answer.
 *
 * @param options.timeout in milliseconds.
 */
export function runProgram(
  program: string,
  parameters: readonly string[],
  options: { readonly cwd: string; readonly timeout?: number },
): Promise<ProgramOutcome> {
  return new Promise((resolve) => {
    execFile(program, parameters, { ...options, maxBuffer }, (error, stdout, stderr) => {
      const exitCode = error ? (typeof error.code === 'number' ? error.code : null) : 0;
      resolve({ exitCode, stdout, stderr });
    });
  });
}
