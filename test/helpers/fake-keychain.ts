import { chmod, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createKeychain } from '#node/system/system-keychain';
import { createTools } from '#node/system/system-tools';
import { keychainProcessUrl } from './system-keychain.ts';
import { writeFiles } from './write-files.ts';

/** A program named `secret-tool` that keeps one secret in a file, and a keychain that finds it. */
export async function fakeKeychain(folder: string) {
  const file = path.join(folder, 'keychain');
  const script = `#!/bin/sh
case "$1" in
  store) cat > '${file}' ;;
  lookup) cat '${file}' 2> /dev/null ;;
  clear) rm -f '${file}' ;;
esac
`;
  await writeFiles(folder, { 'bin/secret-tool': script });
  await chmod(path.join(folder, 'bin/secret-tool'), 0o755);
  const PATH = `${path.join(folder, 'bin')}:${process.env['PATH']}`;
  return {
    keychain: createKeychain({
      tools: createTools({ PATH }, folder),
      variables: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus' },
      system: 'linux',
      processUrl: keychainProcessUrl,
    }),
    /** What it keeps; `null` for nothing. */
    secret: () => readFile(file, 'utf8').catch(() => null),
  };
}
