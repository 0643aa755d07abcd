import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { olderNode } from '../helpers/older-node.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const launcher = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
const floor = manifest.engines.node.replace('>=', '');
const older = olderNode();

/** Run the launcher on this Node.js, which says it is `version`. */
function runAs(version: string, ...words: string[]) {
  return runWith({ node: version }, ...words);
}

/** The same with further entries of `process.versions`. */
async function runWith(changes: Record<string, string>, ...words: string[]) {
  const versions = `{ ...process.versions, ...${JSON.stringify(changes)} }`;
  const preload = `Object.defineProperty(process, 'versions', { value: ${versions} });`;
  const parameters = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`, launcher, ...words];
  return execa(process.execPath, parameters, { cwd: await temporaryFolder(), reject: false });
}

function expectRefusal(version: string, stderr: string): void {
  expect(stderr).not.toContain('\n');
  expect(stderr).toContain(`needs Node.js ${floor} or newer and this is ${version}`);
  expect(stderr).toMatch(/npx -p node@\d+ -c "vendor-cloud versions"/);
}

describe('the launcher', () => {
  it.each(['0.12.18', '18.20.0', '20.19.5', '22.9.0', '22.22.1'])(
    'refuses Node.js %s with one line that says what to run',
    async (version) => {
      const { exitCode, stdout, stderr } = await runAs(version, 'versions');
      expectRefusal(version, stderr);
      expect([exitCode, stdout]).toEqual([7, '']);
    },
  );

  it('refuses it as one object under --json', async () => {
    const { exitCode, stdout, stderr } = await runAs('20.19.5', 'versions', '--json');
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'MACHINE_UNSUPPORTED_NODE',
        kind: 'environment',
        recover: 'change-env',
        message: expect.stringContaining('20.19.5'),
        nextSteps: [expect.stringContaining('npx -p node@')],
      },
    });
    expect([exitCode, stderr]).toEqual([7, '']);
  });

  it('refuses bun, which says it is a Node.js', async () => {
    const message = 'vendor-cloud needs Node.js, and this is bun 1.4.5.';
    const step = 'Run it without --bun: bunx vendor-cloud versions';
    const text = await runWith({ node: '26.3.0', bun: '1.4.5' }, 'versions');
    expect([text.exitCode, text.stdout, text.stderr]).toEqual([7, '', `${message} ${step}`]);
    const json = await runWith({ node: '26.3.0', bun: '1.4.5' }, 'versions', '--json');
    expect(JSON.parse(json.stdout).error).toMatchObject({ code: 'MACHINE_UNSUPPORTED_NODE', message });
    expect([json.exitCode, json.stderr]).toEqual([7, '']);
  });

  it.each([floor, '22.23.0', '24.0.0', '100.0.0'])('goes on with Node.js %s', async (version) => {
    const { exitCode, stdout } = await runAs(version, '--version');
    expect(stdout).toMatch(/^@vendor\/cloud\//);
    expect(exitCode).toBe(0);
  });

  it.skipIf(older === undefined)(
    `refuses the older Node.js of this machine${older ? '' : ' (skipped: the PATH has none that is older)'}`,
    async () => {
      const { file = '', version = '' } = older ?? {};
      const cwd = await temporaryFolder();
      const text = await execa(file, [launcher, 'versions'], { cwd, reject: false });
      expectRefusal(version, text.stderr);
      expect([text.exitCode, text.stdout]).toEqual([7, '']);
      const json = await execa(file, [launcher, 'versions', '--json'], { cwd, reject: false });
      expect(JSON.parse(json.stdout).error.code).toBe('MACHINE_UNSUPPORTED_NODE');
      expect([json.exitCode, json.stderr]).toEqual([7, '']);
    },
  );
});
