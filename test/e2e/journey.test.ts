import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const journey = path.resolve(import.meta.dirname, 'journey/journey.ts');
const isolation = canIsolateNetwork();

const wholeDay = {
  mcp: { tools: toolNames.toSorted() },
  checked: {
    bundle: 'passed',
    types: 'passed',
    load: 'passed',
    permissions: 'skipped',
    typings: 'passed',
    schema: 'skipped',
  },
  version: { number: 1 },
  broken: {
    BUILD_FAILED: { hasFrame: true },
    CUSTOMIZATION_FAILED: { hasFrame: true },
    CUSTOMIZATION_UNRESPONSIVE: { hasFrame: true },
    CUSTOMIZATION_EXITED: { hasFrame: true },
  },
  rolledBack: { number: 3, version: 1, state: 'live' },
  stop: { exitCode: 130 },
};

describe('the day of a user, through the packed binary', { tags: 'long' }, () => {
  const network = isolation === true ? 'with the network off' : `with the network on, as ${isolation}`;
  it(`goes from a new project over edits, checks, pushes and a rollback to who deleted a record, ${network}`, async () => {
    const { bin } = installedPackage();
    const day = [process.execPath, journey, bin, await temporaryFolder()] as const;
    if (isolation !== true) {
      const { stdout } = await execa(day[0], day.slice(1));
      expect(JSON.parse(stdout)).toMatchObject(wholeDay);
      return;
    }
    const command = 'ip link set lo up && exec "$0" "$@"';
    const { stdout } = await execa('unshare', ['-rn', 'sh', '-c', command, ...day, '--expect-offline']);
    console.info(`journey: ${stdout}`);
    expect(JSON.parse(stdout)).toMatchObject({ offline: true, ...wholeDay });
  });
});

function canIsolateNetwork(): true | string {
  try {
    execFileSync('unshare', ['-rn', 'sh', '-c', 'ip link set lo up'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    return `network namespaces are not to be had: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}
