import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { createKeychain } from '#node/system/system-keychain';
import { createTools } from '#node/system/system-tools';

/** The program for macOS and Windows, compiled. */
export const keychainProcessUrl = new URL('../../dist/cli/keychain-process.js', import.meta.url);

/** Whether this machine can run a keychain, or why not. */
export function canRunKeychain(): true | string {
  try {
    for (const program of ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool'])
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'pipe' });
    return true;
  } catch {
    return 'dbus-run-session, gnome-keyring-daemon or secret-tool is not installed';
  }
}

/** A session bus with an unlocked keychain, both gone when the test ends, and what reaches them. */
export async function systemKeychain(home: string) {
  const path = process.env['PATH'] ?? '';
  const script = `printf test | gnome-keyring-daemon --unlock --components=secrets > /dev/null
    echo "$DBUS_SESSION_BUS_ADDRESS"; exec cat > /dev/null`;
  const session = spawn('dbus-run-session', ['--', 'sh', '-c', script], {
    env: { PATH: path, HOME: home },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    session.stdin.end();
    if (session.exitCode === null) await once(session, 'exit');
  });
  const [line] = (await once(session.stdout, 'data')) as [Buffer];
  const variables = { DBUS_SESSION_BUS_ADDRESS: line.toString('utf8').trim() };
  const tools = createTools({ ...variables, PATH: path, HOME: home }, home);
  return { tools, keychain: createKeychain({ tools, variables, system: 'linux', processUrl: keychainProcessUrl }) };
}
