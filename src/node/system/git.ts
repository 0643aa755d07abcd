import { runProgram } from './run-program.ts';

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
