import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud audit shows segments, proves a row, and has a second machine sign', { tags: 'long' }, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  await server.next('ready');
  const run = (...parameters: string[]) => runCli(['audit', ...parameters], { cwd });
  const month = new Date().toISOString().slice(0, 7);

  const segments = await run('segments', '--admin');
  expect(segments).toMatchObject({ exitCode: 0, stderr: '' });
  expect(segments.stdout.split('\n')[1]).toMatch(new RegExp(`^${month} +\\d+ +1 to \\d+ +goes on +✔ +0$`));

  await writeFile(path.join(cwd, 'platform.pub'), (await run('key')).stdout);
  expect(await run('export', '--admin', '--month', month, '--file', 'month.ndjson')).toMatchObject({ exitCode: 0 });
  const verified = await run('verify', '--file', 'month.ndjson', '--key', 'platform.pub');
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('The log holds') });

  const [, row = ''] = (await readFile(path.join(cwd, 'month.ndjson'), 'utf8')).split('\n');
  const { id } = JSON.parse(row) as { readonly id: string };
  expect(await run('prove', id, '--admin', '--file', 'proof.json')).toMatchObject({ exitCode: 0 });
  expect(await run('verify', '--proof', 'proof.json', '--key', 'platform.pub')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`The row holds: adminLog ${id}`),
  });
  const printed = await run('prove', id, '--admin');
  expect(JSON.parse(printed.stdout)).toMatchObject({ object: 'proof', index: 0 });

  const cosign = ['cosign', '--state', 'witness.state', '--key', 'witness.key', '--public-key', 'platform.pub'];
  const signed = await run(...cosign, '--json');
  expect(signed).toMatchObject({ exitCode: 0 });
  const { cosigner } = JSON.parse(signed.stdout) as { readonly cosigner: string };
  expect(await run('verify', '--admin', '--witness', cosigner)).toMatchObject({ exitCode: 0 });
});

it('vendor-cloud audit refuses months, proofs and keys that there are not', async () => {
  const cwd = await createShopProject();
  const run = async (...parameters: string[]) => {
    const { exitCode, stderr } = await runCli(['audit', ...parameters], { cwd });
    return [exitCode, stderr.split('\n')[0]];
  };
  await writeFile(path.join(cwd, 'no.key'), 'no key\n');
  expect(await run('export', '--month', '2026-13', '--file', 'a.ndjson')).toEqual([
    2,
    expect.stringContaining('"2026-13" is not a month.'),
  ]);
  expect(await run('verify', '--proof', 'package.json')).toEqual([
    2,
    expect.stringContaining('package.json is not a proof'),
  ]);
  expect(await run('verify', '--proof', 'missing.json')).toEqual([
    2,
    expect.stringContaining('missing.json does not exist'),
  ]);
  expect(await run('verify', '--proof', 'a.json', '--witness', 'b')).toEqual([2, expect.any(String)]);
  expect(await run('cosign', '--state', 'a', '--key', 'no.key')).toEqual([
    2,
    expect.stringContaining('holds no key of a cosigner'),
  ]);
  expect(await run('cosign', '--state', 'a', '--key', 'b', '--name', 'two words')).toEqual([
    2,
    expect.stringContaining('is not a name of a key'),
  ]);
});
