import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { installedPackage } from '../helpers/installed-package.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { canOpenTerminal, TerminalProcess } from '../helpers/terminal-process.ts';
import { writeFiles } from '../helpers/write-files.ts';

const pty = canOpenTerminal();
const program = `"${process.execPath}" "${path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js')}"`;

describe.skipIf(pty !== true)(`bootstrap in a terminal${pty === true ? '' : ` (skipped: ${pty})`}`, () => {
  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('ends with 130 and one word when its question is answered with %s', async (_name, key) => {
    const folder = await temporaryFolder();
    const bootstrap = new TerminalProcess(`${program} bootstrap admin`, folder);
    await bootstrap.shows(/Connection URI of the database/);
    bootstrap.press(key);
    await once(bootstrap.child, 'exit');
    expect(bootstrap.screen).toMatch(/\nCancelled\.\s*$/);
    expect(bootstrap.child.exitCode).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });

  it('leaves nothing behind when it is interrupted while it fills the sample database', async () => {
    const folder = await temporaryFolder();
    const bootstrap = new TerminalProcess(`${program} bootstrap shop --template shop --no-install`, folder);
    await bootstrap.shows(/Filling the sample database/);
    bootstrap.press('\u0003');
    await once(bootstrap.child, 'exit');
    expect(bootstrap.child.exitCode).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe.skipIf(pty !== true)(`a newer version${pty === true ? '' : ` (skipped: ${pty})`}`, () => {
  it('is reported at a terminal, and neither in a pipe, nor in CI, nor to who switched it off', async () => {
    const folder = await temporaryFolder();
    const known = JSON.stringify({ checkedAt: Date.now(), latest: '99.0.0' });
    await writeFiles(folder, { 'vendor-cloud/update.json': known });
    const screenWith = async (variables: Readonly<Record<string, string>>) => {
      const env = { XDG_CACHE_HOME: folder, ...variables };
      const explain = new TerminalProcess(`${program} config explain`, folder, env);
      await once(explain.child, 'close');
      return explain.screen;
    };
    expect(await screenWith({ NO_UPDATE_NOTIFIER: '' })).toMatch(/99\.0\.0 is there[^\n]*vendor-cloud upgrade/);
    expect(await screenWith({ NO_UPDATE_NOTIFIER: '1' })).not.toContain('99.0.0');
    expect(await screenWith({ NO_UPDATE_NOTIFIER: '', CI: 'true' })).not.toContain('99.0.0');
    const piped = await runCli(['config', 'explain'], { cwd: folder, env: { XDG_CACHE_HOME: folder } });
    expect([piped.exitCode, piped.stderr]).toEqual([0, '']);
  });
});

describe('a new project', () => {
  const run = [process.execPath, '--test', '--test-reporter=tap'];
  it.each([
    // The script of npm calls `exec` again, which has an agent of its own.
    ['shop', [], ['npm', 'test', '--', '--test-reporter=tap']],
    ['blank', ['--uri', 'sqlite:./app.sqlite'], run],
  ])('of the packed command line passes its own test: %s', async (template, flags, test) => {
    const { bin } = installedPackage();
    const cwd = await temporaryFolder();
    (await openSqlite(path.join(cwd, 'app.sqlite'))).close();
    const made = await runCli(['bootstrap', 'project', '--template', template, ...flags], { cwd, bin });
    expect(made.exitCode, made.stderr).toBe(0);
    const tested = await runCli(['exec', '--', ...test], { cwd: path.join(cwd, 'project'), bin });
    expect([tested.exitCode, tested.stdout], tested.stderr).toEqual([0, expect.stringMatching(/# pass 1\n# fail 0/)]);
  });
});

describe('bootstrap in a script', () => {
  it('warns of a secret that was typed, and never repeats it', async () => {
    const cwd = await temporaryFolder();
    const secret = 'a'.repeat(63);
    const { stderr } = await runCli(['bootstrap', 'x', '--template', 'shop', '--env-secret', secret], { cwd });
    expect(stderr).toContain('Set SERVICE_ENV_SECRET instead.');
    expect(stderr).not.toContain(secret);
    const uri = await runCli(['bootstrap', 'x', '--uri', 'oracle://app:hunter2@db/shop'], { cwd });
    expect(uri.stderr).toContain('Set SERVICE_URI instead.');
    expect(uri.stderr).not.toContain('hunter2');
    expect(await readdir(cwd)).toEqual([]);
  });
});
