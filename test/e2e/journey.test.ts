import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const journey = path.resolve(import.meta.dirname, 'journey/journey.ts');
const isolation = canIsolateNetwork();

describe('the main job, through the packed binary', () => {
  it('scaffolds, serves, hot-swaps, survives broken code, pushes and stops', async () => {
    const { bin } = await installedPackage();
    const { stdout } = await execa(process.execPath, [journey, bin, await temporaryFolder()]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      mcp: { tools: ['describeCollection', 'list'] },
      broken: { BUILD_FAILED: { hasFrame: true }, CUSTOMIZATION_FAILED: { hasFrame: true } },
      version: { number: 1 },
      stop: { exitCode: 130 },
    });
    console.info(`journey: ${stdout}`);
  });

  it.skipIf(isolation !== true)(
    `works with the network off${isolation === true ? '' : ` (skipped: ${isolation})`}`,
    async () => {
      const { bin } = await installedPackage();
      const folder = await temporaryFolder();
      const command = 'ip link set lo up && exec "$0" "$@"';
      const { stdout } = await execa('unshare', [
        '-rn',
        'sh',
        '-c',
        command,
        process.execPath,
        journey,
        bin,
        folder,
        '--expect-offline',
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ offline: true, version: { number: 1 } });
    },
  );
});

function canIsolateNetwork(): true | string {
  try {
    execFileSync('unshare', ['-rn', 'sh', '-c', 'ip link set lo up'], { stdio: 'pipe' });
    return true;
  } catch (error) {
    return `network namespaces are not to be had: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}
