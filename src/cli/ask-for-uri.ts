import type { FlowContext } from '#flows/flow-context';
import { CloudError } from '#kernel/errors/cloud-error';
import { askForText } from './prompts.ts';

/** Ask the person at the terminal for the connection URI. Without a terminal, the error says how to give it. */
export async function askForUri(context: FlowContext): Promise<string> {
  if (!context.isInteractive) {
    throw new CloudError({
      code: 'USAGE_INVALID',
      message: 'The connection URI of the database is missing, and there is no terminal to ask for it.',
      nextSteps: [
        'vendor-cloud bootstrap my-admin --uri sqlite:./app.sqlite',
        'Or take the sample: vendor-cloud bootstrap shop --template shop',
      ],
    });
  }
  return askForText('Connection URI of the database (for instance sqlite:./app.sqlite):');
}
