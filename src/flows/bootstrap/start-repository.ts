import type { FlowContext } from '../flow-context.ts';

const deadlineMs = 5_000;

/** Make a new project a git repository, unless it is in one already or there is no git. Resolves to whether it became one. */
export async function startRepository({ tools }: FlowContext, folder: string): Promise<boolean> {
  const git = (...parameters: string[]) => tools.run({ program: 'git', parameters, folder, deadlineMs });
  const { exitCode } = await git('rev-parse', '--is-inside-work-tree');
  if (exitCode === 0 || exitCode === null) return false;
  return (await git('init', '--quiet')).exitCode === 0;
}
