import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Asking } from './context.ts';
import { nextCommand } from './next-command.ts';
import { withoutPassword } from './typed-secrets.ts';

interface NewProject {
  /** Folder that is to be created. */
  readonly directory: string;
  /** Whether the secret of an environment was given, but not the platform it is of. */
  readonly hasEnvSecret: boolean;
}

/** Ask the person at the terminal for the connection URI. Without a terminal, the error says how to give it. */
export async function askForUri({ isInteractive, prompts }: Asking, project: NewProject): Promise<string> {
  if (!isInteractive) throw missingUri(project);
  return prompts.text(
    'Connection URI of the database (postgres://…, mariadb://…, mysql://…, mongodb://…, sqlite:./app.sqlite):',
    {
      problemOf: (text) => (text === '' ? 'It needs an address.' : undefined),
      shownAs: withoutPassword,
    },
  );
}

function missingUri({ directory, hasEnvSecret }: NewProject): CloudError {
  const again = (...words: readonly string[]) => nextCommand(['bootstrap', directory], ...words);
  const steps = [again('--uri', 'sqlite:./app.sqlite'), `Or take the sample: ${again('--template', 'shop')}`] as const;
  return cloudError(
    'USAGE_INVALID',
    'The connection URI of the database is missing, and there is no terminal to ask for it.',
    hasEnvSecret
      ? [`Take the databases of the environment: ${again('--server-url', 'https://platform.example.com')}`, ...steps]
      : steps,
  );
}
