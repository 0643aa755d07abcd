import { errnoOf } from '../files/file-errors.ts';

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
  const { execa } = await import('execa');
  const result = await execa('git', parameters, { cwd: folder, reject: false, timeout: 2_000 });
  if (result.failed || errnoOf(result) !== '') return null;
  return result.stdout.trim() || null;
}
