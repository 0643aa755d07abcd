import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** What the keychain of the system needs of a context. */
export type KeychainContext = Pick<FlowContext, 'tools' | 'variables'>;

/** A locked keychain asks the person at the screen for its password. */
const deadlineMs = 30_000;

const attributesOf = (name: string) => ['service', 'vendor-cloud', 'server', name];

/**
 * Keep a secret in the keychain of the system (the Secret Service, through `secret-tool`). Resolves to false where there is none, or
 * where it does not give back what it took.
 */
export async function keepInKeychain(context: KeychainContext, name: string, secret: string): Promise<boolean> {
  if (!mayHaveKeychain(context)) return false;
  const parameters = ['store', `--label=vendor-cloud at ${name}`, ...attributesOf(name)];
  const { exitCode } = await context.tools.run({ program: 'secret-tool', parameters, input: secret, deadlineMs });
  return exitCode === 0 && (await lookUp(context, name)) === secret;
}

/** The secret that the keychain keeps under a name. Rejects with `CREDENTIALS_MISSING` when it does not give it. */
export async function readKeychain(context: KeychainContext, name: string): Promise<string> {
  const secret = await lookUp(context, name);
  if (secret !== undefined) return secret;
  throw cloudError(
    'CREDENTIALS_MISSING',
    `The token for ${name} is in the keychain of the system, which does not give it: it is locked, or no session of the desktop runs here.`,
    [
      'Unlock the keychain and run the command again.',
      'Or keep tokens in a file: SERVICE_KEYCHAIN=false vendor-cloud login',
    ],
  );
}

/** Remove a secret. A keychain that cannot be asked keeps what is worth nothing by then. */
export async function clearKeychain(context: KeychainContext, name: string): Promise<void> {
  if (!mayHaveKeychain(context)) return;
  await context.tools.run({ program: 'secret-tool', parameters: ['clear', ...attributesOf(name)], deadlineMs });
}

async function lookUp(context: KeychainContext, name: string): Promise<string | undefined> {
  if (!mayHaveKeychain(context)) return undefined;
  const parameters = ['lookup', ...attributesOf(name)];
  const { exitCode, stdout } = await context.tools.run({ program: 'secret-tool', parameters, deadlineMs });
  return exitCode === 0 && stdout !== '' ? stdout : undefined;
}

/** Without a session bus, `secret-tool` would start one that nobody sees. */
function mayHaveKeychain({ variables }: KeychainContext): boolean {
  return Boolean(variables['DBUS_SESSION_BUS_ADDRESS']) && variables['SERVICE_KEYCHAIN'] !== 'false';
}
