import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Reporter } from '#kernel/ports/reporter';
import type { Asking } from '../invocation/cli-context.ts';
import { nextCommand } from '../terminal/next-command.ts';

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

const formsOfInstants = [
  { name: 'milliseconds since 1970', value: 'milliseconds' },
  { name: 'seconds since 1970', value: 'seconds' },
  { name: 'Julian days', value: 'julianDays' },
  { name: 'each number by its size; write texts', value: 'texts' },
] as const;

type FormOfInstants = (typeof formsOfInstants)[number]['value'];

/** Asks what the numbers of a column of instants stand for. Absent without a terminal: then a sample says it, and a warning names it. */
export function askForInstants({ isInteractive, prompts }: Asking) {
  if (!isInteractive) return undefined;
  return async (place: string, guess: FormOfInstants): Promise<FormOfInstants> => {
    const message = `${place} holds instants of several forms. What do its numbers stand for?`;
    const chosen = await prompts.choose(message, formsOfInstants, guess);
    return formsOfInstants.find(({ value }) => value === chosen)?.value ?? guess;
  };
}

/** Whether the address of a database holds a password. */
export function hasPassword(uri: string): boolean {
  return /^[a-z+]+:\/\/[^/?#]*:[^/?#]+@/i.test(uri);
}

/** The address of a database with dots in place of its password, as far as it is typed. */
export function withoutPassword(uri: string): string {
  const [, before = '', password = '', after = ''] = /^([a-z+]+:\/\/[^/?#:@]*:)(.*(?=@)|[^/?#]*)(.*)$/i.exec(uri) ?? [];
  return before === '' ? uri : `${before}${'•'.repeat(password.length)}${after}`;
}

/**
 * Warns of a secret that was typed as a flag: arguments show in the list of processes and stay in the history of the shell.
 *
 * @param words as they were typed; a secret from the variable of the flag is not among them.
 */
export function warnOfTypedSecret(reporter: Reporter, words: readonly string[], flag: string, variable: string): void {
  if (!words.some((word) => word === flag || word.startsWith(`${flag}=`))) return;
  reporter.warn(
    `What follows ${flag} is a secret, and shows in the list of processes and in the history of the shell.`,
    `Set ${variable} instead.`,
  );
}
