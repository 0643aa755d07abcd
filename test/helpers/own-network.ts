import { execFileSync } from 'node:child_process';
import { execa } from 'execa';

const begin = 'ip link set lo up';

/** Why this machine makes no network for a process, as the end of a test's title. Empty when it does. */
export const reasonForNoNetwork = reason();

function reason(): string {
  try {
    execFileSync('unshare', ['-rn', 'sh', '-c', begin], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return ` (no network namespaces: ${error instanceof Error ? error.message.split('\n')[0] : error})`;
  }
}

/** Run Node.js in a network that has only a loopback, which the shell command `setUp` changes first. Resolves with what it printed. */
export async function inNetworkOfItsOwn(setUp: string, parameters: readonly string[]): Promise<string> {
  const command = `${begin} && ${setUp} && exec "$0" "$@"`;
  const { stdout } = await execa('unshare', ['-rn', 'sh', '-c', command, process.execPath, ...parameters]);
  return stdout;
}
