import { execFile } from 'node:child_process';

/**
 * The commit that is checked out in a folder, or `null` outside a repository, before the first commit and without git.
 */
export function gitCommit(folder: string): Promise<string | null> {
  return git(folder, ['rev-parse', 'HEAD']);
}

/** The name and the email address of the person at this machine, as git knows them. */
export async function gitIdentity(
  folder: string,
): Promise<{ readonly name: string | null; readonly email: string | null }> {
  const [name, email] = await Promise.all([
    git(folder, ['config', 'user.name']),
    git(folder, ['config', 'user.email']),
  ]);
  return { name, email };
}

async function git(folder: string, parameters: readonly string[]): Promise<string | null> {
  const { exitCode, stdout } = await runProgram('git', parameters, { cwd: folder, timeout: 2_000 });
  return exitCode === 0 ? stdout.trim() || null : null;
}

interface ProgramOutcome {
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
function runProgram(
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
