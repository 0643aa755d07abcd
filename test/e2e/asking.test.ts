import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { runCli } from '../helpers/run-cli.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { writeFiles } from '../helpers/write-files.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
const Administrators = { collections: { '*': { browse: true } } };
const support = { collections: { orders: { browse: true } } };
const rights = { roles: { Administrators, support }, teams: { Operations: {} } };

it('a command that takes away or replaces what others use does nothing without --yes, and names the command', {
  tags: 'long',
}, async () => {
  const cwd = await createShopProject();
  const server = new DevProcess(bin, ['sandbox', '--port', '0'], { cwd });
  endWithTest(server.child);
  await server.next('ready');
  const run = (...words: string[]) => runCli(words, { cwd });
  await writeFiles(cwd, { 'permissions.json': JSON.stringify(rights) });
  const { token, id } = JSON.parse((await run('tokens', 'create', 'ci', '--json')).stdout);
  await runCli(['permissions', 'apply', '--yes'], { cwd });
  await runCli(['variables', 'set', 'OLD'], { cwd, input: 'value' });
  await writeFiles(cwd, { 'permissions.json': JSON.stringify({ ...rights, roles: { Administrators } }) });

  for (const words of [
    ['tokens', 'revoke', String(id)],
    ['tokens', 'rotate', String(id)],
    ['variables', 'unset', 'OLD'],
    ['permissions', 'set', 'support', 'orders', 'export', 'on'],
    ['permissions', 'apply'],
  ]) {
    const { exitCode, stdout } = await run(...words, '--json');
    const { error } = JSON.parse(stdout);
    expect([exitCode, error.code], words.join(' ')).toEqual([2, 'USAGE_INVALID']);
    expect(error.nextSteps.join('\n')).toContain(`vendor-cloud ${words.join(' ')} --json --yes`);
    expect(stdout).not.toContain(token);
  }
  const left = await Promise.all(
    [
      ['tokens', 'list'],
      ['variables', 'list'],
      ['permissions', 'list'],
    ].map((words) => run(...words, '--json')),
  );
  const [tokens, variables, permissions] = left.map(({ stdout }) => JSON.parse(stdout));
  expect(tokens.tokens).toMatchObject([{ id, state: 'active', hint: token.slice(-4) }]);
  expect(variables).toMatchObject({ revision: 1, variables: [{ name: 'OLD' }] });
  expect(permissions).toMatchObject({ revision: 1 });
  expect(await run('variables', 'unset', 'OLD', '--yes')).toMatchObject({ exitCode: 0 });
});
