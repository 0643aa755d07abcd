import type { FlowContext } from '#flows/flow-context';
import { CloudError } from '#kernel/errors/cloud-error';

/** Ask the person at the terminal for the address of a database, which may hold a password. Without a terminal, the error says how to give it. */
export async function askForDatabase(context: FlowContext, isJson: boolean, name: string): Promise<string> {
  if (!context.isInteractive || isJson) {
    throw new CloudError({
      code: 'USAGE_INVALID',
      message: `The address of the database for "${name}" is missing, and there is no terminal to ask for it.`,
      nextSteps: [
        `SERVICE_URI=postgres://user:password@host/database vendor-cloud data-sources add ${name}`,
        `Or a file: vendor-cloud data-sources add ${name} --uri sqlite:./app.sqlite`,
      ],
    });
  }
  const { default: inquirer } = await import('inquirer');
  const message = 'Address of the database (postgres://…, mariadb://…, sqlite:./app.sqlite), which is not shown:';
  const { uri } = await inquirer.prompt<{ uri: string }>([{ type: 'password', name: 'uri', message, mask: '*' }]);
  return uri.trim();
}
