import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** What the keychain of the system needs of a context. */
export type KeychainContext = Pick<FlowContext, 'keychain' | 'reporter'>;

/** Keep a secret in the keychain of the system. Resolves to false if there is none, or if it does not give back what it took. */
export async function keepInKeychain(
  { keychain, reporter }: KeychainContext,
  name: string,
  secret: string,
): Promise<boolean> {
  const answer = await keychain.store(name, secret);
  if (answer === 'missing') {
    reporter.warn(
      'The keychain of this system is not used, because its library is not installed.',
      'Install this package with its optional packages, for example without --omit=optional, and sign in again.',
    );
  }
  return answer === 'kept';
}

/** The secret that the keychain keeps under a name. Rejects with `CREDENTIALS_MISSING` when it does not give it. */
export async function readKeychain({ keychain }: KeychainContext, name: string): Promise<string> {
  const secret = await keychain.find(name);
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
