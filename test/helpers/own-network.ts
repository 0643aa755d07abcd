import { execFileSync } from 'node:child_process';
import { execa } from 'execa';
import { it } from 'vitest';

const begin = 'ip link set lo up';

/** Why this machine makes no network for a process; `undefined` when it does. */
export const whyNoNetwork = findReason();

function findReason(): string | undefined {
  try {
    execFileSync('unshare', ['-rn', 'sh', '-c', begin], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `no network namespaces: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

/** A test that needs `inNetworkOfItsOwn`. */
export function itInNetworkOfItsOwn(name: string, test: () => Promise<void>): void {
  const why = whyNoNetwork === undefined ? '' : ` (skipped: ${whyNoNetwork})`;
  it.skipIf(whyNoNetwork !== undefined)(`${name}${why}`, test);
}

/** Run Node.js in a network that has only a loopback, which the shell command `setUp` changes first. Resolves with what it printed. */
export async function inNetworkOfItsOwn(setUp: string, parameters: readonly string[]): Promise<string> {
  const command = `${begin} && ${setUp} && exec "$0" "$@"`;
  const { stdout } = await execa('unshare', ['-rn', 'sh', '-c', command, process.execPath, ...parameters]);
  return stdout;
}
