import { cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';

/** Ask the person at the terminal for the address of a database, which may hold a password. Without a terminal, the error says how to give it. */
export async function askForDatabase({ isInteractive, prompts }: Asking, name: string): Promise<string> {
  if (!isInteractive) {
    throw cloudError(
      'USAGE_INVALID',
      `The address of the database for "${name}" is missing, and there is no terminal to ask for it.`,
      [
        `SERVICE_URI=postgres://user:password@host/database vendor-cloud data-sources add ${name}`,
        `Or a file: vendor-cloud data-sources add ${name} --uri sqlite:./app.sqlite`,
      ],
    );
  }
  const message =
    'Address of the database (postgres://…, mariadb://…, mysql://…, mongodb://…, sqlite:./app.sqlite), which is not shown:';
  return (await prompts.secret(message)).trim();
}
