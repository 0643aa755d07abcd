import { CloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';

/** Ask the person at the terminal for the connection URI. Without a terminal, the error says how to give it. */
export async function askForUri({ isInteractive, prompts }: Asking): Promise<string> {
  if (!isInteractive) {
    throw new CloudError({
      code: 'USAGE_INVALID',
      message: 'The connection URI of the database is missing, and there is no terminal to ask for it.',
      nextSteps: [
        'vendor-cloud bootstrap my-admin --uri sqlite:./app.sqlite',
        'Or take the sample: vendor-cloud bootstrap shop --template shop',
      ],
    });
  }
  return prompts.text('Connection URI of the database (postgres://…, mariadb://…, mongodb://…, sqlite:./app.sqlite):', {
    problemOf: (text) => (text === '' ? 'It needs an address.' : undefined),
  });
}
