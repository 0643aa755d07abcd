import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { installedPackage } from '../helpers/installed-package.ts';
import { inNetworkOfItsOwn, whyNoNetwork } from '../helpers/own-network.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const journey = path.resolve(import.meta.dirname, 'journey/journey.ts');

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
  const network = whyNoNetwork === undefined ? 'with the network off' : `with the network on, as ${whyNoNetwork}`;
  it(`goes from a new project over edits, checks, pushes and a rollback to who deleted a record, ${network}`, async () => {
    const { bin } = installedPackage();
    const day = [journey, bin, await temporaryFolder()];
    if (whyNoNetwork !== undefined) {
      const { stdout } = await execa(process.execPath, day);
      expect(JSON.parse(stdout)).toMatchObject(wholeDay);
      return;
    }
    const printed = await inNetworkOfItsOwn('true', [...day, '--expect-offline']);
    console.info(`journey: ${printed}`);
    expect(JSON.parse(printed)).toMatchObject({ offline: true, ...wholeDay });
  });
});
