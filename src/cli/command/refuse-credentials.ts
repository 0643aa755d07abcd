import { credentialKindOf } from '#contracts/credential-kind';
import { cloudError } from '#kernel/errors/cloud-error';

/** Flags that take a name or a text which others read. */
const namingFlags = ['as', 'confirm', 'env', 'from', 'in', 'message', 'name', 'project', 'title', 'to'];
/** Arguments name things as well, except for these, whose values may look like anything. */
const freeArguments = ['id', 'query'];

type Values = Readonly<Record<string, unknown>>;

/**
 * Refuses a credential that was pasted in place of a name, before it is sent or shown anywhere. The error does not repeat it.
 *
 * @throws `USAGE_INVALID`
 */
export function refuseCredentials({ flags, args }: { readonly flags: Values; readonly args: Values }): void {
  for (const name of namingFlags) refuse(flags[name], `--${name}`);
  for (const [name, value] of Object.entries(args)) if (!freeArguments.includes(name)) refuse(value, `"${name}"`);
}

function refuse(value: unknown, place: string): void {
  const kind = typeof value === 'string' ? credentialKindOf(value) : undefined;
  if (kind === undefined) return;
  throw cloudError(
    'USAGE_INVALID',
    `What ${place} was given looks like ${kind}, which does not belong there. Nothing was sent.`,
    [
      'Give what the help of the command names: add --help to see it.',
      'A shell keeps what is typed in its history: replace the secret where others can read that.',
    ],
  );
}
