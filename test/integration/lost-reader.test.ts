import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('dev --json ends in order when its reader is gone, and lets the project go', { tags: 'long' }, async () => {
  const cwd = await createShopProject();
  const ports = ['--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'];
  const dev = new DevProcess(bin, ['dev', ...ports], { cwd });
  endWithTest(dev.child);
  await dev.next('ready');
  // A save of other code makes the next event.
  dev.child.stdout?.destroy();
  await appendFile(path.join(cwd, 'src/index.ts'), '\nexport const saved = true;\n');
  expect(await dev.ended()).toBe(0);
  const next = await runCli(['dev', '--once', '--json', ...ports], { cwd });
  expect(next.exitCode).toBe(0);
});
