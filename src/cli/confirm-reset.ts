import type { ProjectToReset } from '#flows/data/reset-data';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';

interface ResetFlags {
  /** The name of the project, where it was given as a flag. */
  readonly given: string | undefined;
  /** The command as it was called, to be called once more with the name. */
  readonly called: readonly string[];
}

/** Have the person at the terminal type the name of the project. Without a terminal, `--confirm` gives it. */
export function confirmReset({ isInteractive, prompts }: Asking, { given, called }: ResetFlags) {
  return async ({ name, databases }: ProjectToReset): Promise<string> => {
    if (given !== undefined) return given;
    const records = `Every record in ${databases.join(' and ')}`;
    if (!isInteractive) throw unconfirmed(records, nextCommand(called, '--confirm', name));
    const typed = await prompts.text(`${records} will be deleted. Type ${name} to go on:`);
    return typed.trim();
  };
}

function unconfirmed(records: string, command: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${records} would be deleted, and there is no terminal to ask whether they should.`,
    command,
  );
}
