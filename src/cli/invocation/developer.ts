import type { CliContext } from './cli-context.ts';

/** The person that the local platform works for: the one that git knows. */
export async function developerOf({ workingFolder }: CliContext) {
  const { gitIdentity } = await import('#node/system/git');
  const { name, email } = await gitIdentity(workingFolder);
  return { name: name ?? 'Developer', email: email ?? 'developer@localhost' };
}
