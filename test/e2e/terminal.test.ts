import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { canOpenTerminal, TerminalProcess } from '../helpers/terminal-process.ts';

const pty = canOpenTerminal();

describe.skipIf(pty !== true)(`vendor-cloud demo in a terminal${pty === true ? '' : ` (skipped: ${pty})`}`, () => {
  it('shows where it listens, a curl line that works and the keys, and obeys them', async () => {
    const { bin } = installedPackage();
    const folder = await temporaryFolder();
    const demo = new TerminalProcess(
      `"${process.execPath}" "${bin}" demo shop --agent-port 0 --sandbox-port 0 --mcp-port 0`,
      folder,
    );

    await demo.shows(/r reload\s+o sign in\s+t tokens/);
    expect(demo.screen).toMatch(/Agent\s+http:\/\/127\.0\.0\.1:\d+\/service/);
    expect(demo.screen).toMatch(/Platform\s+http:\/\/127\.0\.0\.1:\d+/);
    expect(demo.screen).toMatch(/MCP\s+http:\/\/127\.0\.0\.1:\d+\/mcp/);
    const [curl = ''] = await demo.shows(/curl -g[^\n]*\n?[^\n]*size\]=2"/);
    const answer = JSON.parse(
      execFileSync('sh', ['-c', curl.replace(/\r?\n/g, '')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    expect(answer.data).toHaveLength(2);

    let from = demo.screen.length;
    demo.press('r');
    await demo.shows(/Reloaded in [\d.]+ ms/, from);

    from = demo.screen.length;
    const entry = path.join(folder, 'shop/src/index.ts');
    const good = await readFile(entry, 'utf8');
    await writeFile(entry, good.replace('): void {', '): void {\n  const = 1;'));
    await demo.shows(
      /BUILD_FAILED[\s\S]*src\/index\.ts:\d+:\d+[\s\S]*> \d+ \|\s+const = 1;[\s\S]*last good version keeps serving/,
      from,
    );

    from = demo.screen.length;
    await writeFile(entry, good);
    await demo.shows(/Reloaded in/, from);

    from = demo.screen.length;
    demo.press('t');
    await demo.shows(/MCP token\s+ey/, from);
    demo.press('\u0003');
    await once(demo.child, 'exit');
    expect(demo.child.exitCode).toBe(130);
  });

  it('ends with 0 when it is quit by its key', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const demo = new TerminalProcess(
      `"${process.execPath}" "${bin}" demo shop --agent-port 0 --sandbox-port 0 --mcp-port 0`,
      await temporaryFolder(),
    );
    await demo.shows(/q quit/);
    demo.press('q');
    await once(demo.child, 'exit');
    expect(demo.screen).toContain('Stopped.');
    expect(demo.child.exitCode).toBe(0);
  });

  it('stops at Ctrl-Z as any job of a shell, and obeys its keys again when it goes on', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const shell = new TerminalProcess('bash --norc -i', await temporaryFolder());
    shell.press(`"${process.execPath}" "${bin}" demo shop --agent-port 0 --sandbox-port 0 --mcp-port 0\n`);
    await shell.shows(/q quit/);
    let from = shell.screen.length;
    shell.press('\u001A');
    await shell.shows(/\[1\]\+\s+Stopped/, from);
    from = shell.screen.length;
    shell.press('fg\n');
    shell.press('t');
    await shell.shows(/MCP token\s+ey/, from);
    shell.press('q');
    await shell.shows(/Stopped\./, from);
    shell.press('exit\n');
    await once(shell.child, 'exit');
  });

  it('goes on at Ctrl-Z where no shell could continue it, and obeys its keys', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const ports = '--agent-port 0 --sandbox-port 0 --mcp-port 0';
    const demo = new TerminalProcess(`"${process.execPath}" "${bin}" demo shop ${ports}`, await temporaryFolder());
    await demo.shows(/q quit/);
    demo.press('\u001A');
    demo.press('t');
    await demo.shows(/MCP token\s+ey/);
    demo.press('q');
    await demo.shows(/Stopped\./);
    await once(demo.child, 'exit');
  });

  it('waits for broken code to be fixed instead of ending', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const folder = await temporaryFolder();
    execFileSync(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install', '--json'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const entry = path.join(folder, 'shop/src/index.ts');
    const good = await readFile(entry, 'utf8');
    await writeFile(entry, 'export default 1;');
    const dev = new TerminalProcess(
      `"${process.execPath}" "${bin}" dev --agent-port 0 --sandbox-port 0 --mcp-port 0`,
      path.join(folder, 'shop'),
    );
    await dev.shows(/CUSTOMIZATION_NOT_A_FUNCTION[\s\S]*Waiting for a change/);
    await writeFile(entry, good);
    await dev.shows(/q quit/);
    dev.press('q');
    await once(dev.child, 'exit');
    expect(dev.child.exitCode).toBe(0);
  });
});

describe.skipIf(pty !== true)(`vendor-cloud check in a terminal${pty === true ? '' : ` (skipped: ${pty})`}`, () => {
  it('shows steps that run at the same time one below the other', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const folder = await temporaryFolder();
    execFileSync(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install', '--json'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const check = new TerminalProcess(`"${process.execPath}" "${bin}" check`, path.join(folder, 'shop'));
    await once(check.child, 'close');
    expect(check.child.exitCode).toBe(0);
    expect(check.screen).toMatch(/✔ Checking the types/);
    expect(check.screen).toMatch(/✔ Reading the databases and the customizations/);
    expect(check.screen).not.toContain('[ora]');
  });

  it('shows each step as a line where the terminal gives no width', { tags: 'long' }, async () => {
    const { bin } = installedPackage();
    const folder = await temporaryFolder();
    execFileSync(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install', '--json'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const command = `sh -c 'stty cols 0; exec "${process.execPath}" "${bin}" check'`;
    const check = new TerminalProcess(command, path.join(folder, 'shop'));
    await once(check.child, 'close');
    expect(check.child.exitCode).toBe(0);
    expect(check.screen).toMatch(/• Checking the types/);
    expect(check.screen).toMatch(/• Reading the databases and the customizations/);
  });
});

describe.skipIf(pty !== true)(`help in a terminal of 60 columns${pty === true ? '' : ` (skipped: ${pty})`}`, () => {
  it.each(['', 'audit', 'platform start', 'tokens create'])(
    'has no line that is too long, but commands: %s',
    async (name) => {
      const launcher = `"${process.execPath}" "${path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js')}"`;
      const help = new TerminalProcess(`sh -c 'stty cols 60; ${launcher} ${name} --help'`, await temporaryFolder());
      await once(help.child, 'close');
      const lines = help.screen.split(/\r?\n/).filter((line) => !/^ +(?:\$ |TOKEN=)/.test(line));
      expect(lines.length).toBeGreaterThan(20);
      expect(lines.filter((line) => line.length > 60)).toEqual([]);
    },
  );
});
