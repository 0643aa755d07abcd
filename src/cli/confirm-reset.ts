import type { ProjectToReset } from '#flows/data/reset-data';
import type { FlowContext } from '#flows/flow-context';
import { CloudError } from '#kernel/errors/cloud-error';

/** Have the person at the terminal type the name of the project. Without a terminal, `--confirm` gives it. */
export function confirmReset(context: FlowContext, isJson: boolean, given: string | undefined) {
  return async ({ name, databases }: ProjectToReset): Promise<string> => {
    if (given !== undefined) return given;
    if (!context.isInteractive || isJson) throw unconfirmed(name, databases);
    const { default: inquirer } = await import('inquirer');
    const message = `Every record in ${databases.join(' and ')} will be deleted. Type ${name} to go on:`;
    const { typed } = await inquirer.prompt<{ typed: string }>([{ type: 'input', name: 'typed', message }]);
    return typed.trim();
  };
}

function unconfirmed(name: string, databases: readonly string[]): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `Every record in ${databases.join(' and ')} would be deleted, and there is no terminal to ask whether they should.`,
    nextSteps: [`vendor-cloud data reset --confirm ${name}`],
  });
}
