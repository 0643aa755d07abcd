import { text } from 'node:stream/consumers';
import { processEnvironment } from '#node/environment/process-environment';
import { exitCodeOfMissingLibrary } from '#node/system/system-keychain';

/**
 * The program that asks the keychain of macOS or Windows, once. Its words are `store` (the secret is on stdin), `lookup` (the
 * secret comes on stdout) or `clear`, then a service and a name. The exit code is 0, or 1 if the keychain refuses or holds no
 * such secret.
 */
const [action, service = '', name = ''] = processEnvironment.arguments;
try {
  process.exitCode = (await carryOut()) ? 0 : 1;
} catch {
  // The words of the library could hold what it was given.
  process.exitCode = 1;
}

async function carryOut(): Promise<boolean> {
  // The library is code for one system and processor, which an installation without optional packages lacks.
  const library = await import('@napi-rs/keyring').catch(() => process.exit(exitCodeOfMissingLibrary));
  // On Linux, which the tests run on, the keychain of the kernel would take the place of one that does not answer.
  const entry = new library.Entry(service, name, { linux: { store: 'secret-service' } });
  if (action === 'store') entry.setPassword(await text(process.stdin));
  if (action === 'clear') return entry.deletePassword();
  const secret = entry.getPassword();
  if (action === 'lookup' && secret !== null) process.stdout.write(secret);
  return secret !== null;
}
