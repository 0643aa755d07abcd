import { describe, expect, it } from 'vitest';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = async (...parameters: string[]) => runCli(parameters, { cwd: await temporaryFolder() });
const runJson = async (...parameters: string[]) => {
  const { stdout, stderr, exitCode } = await run(...parameters, '--json');
  return { document: JSON.parse(stdout), stderr, exitCode };
};

describe('vendor-cloud', () => {
  it.each([['--help'], ['help'], ['-h'], []])('shows the commands for %s', async (...words) => {
    const { stdout, exitCode } = await run(...words);
    expect(stdout).toContain('update-typings');
    expect(exitCode).toBe(0);
  });

  it.each([
    ['push', '--help'],
    ['help', 'push'],
    ['push', '-h'],
  ])('shows the help of one command for %s %s', async (...words) => {
    const { stdout, exitCode } = await run(...words);
    expect(stdout).toContain('--message');
    expect(exitCode).toBe(0);
  });

  it('shows the help of a command of two words, also after what it is called with', async () => {
    const { stdout, exitCode } = await run('notes', 'get', '1', '--help');
    expect([exitCode, stdout.includes('vendor-cloud notes get ID')]).toEqual([0, true]);
  });

  it('shows a default in the help only where there is one', async () => {
    const { stdout } = await run('data', 'seed', '--help');
    expect(stdout).toContain('[env: SERVICE_COLLECTION]');
    expect(stdout).toMatch(/\[default: 20, env:\s+SERVICE_ROWS\]/);
  });

  it('shows the help of a group of commands, and of topics', async () => {
    const group = await run('help', 'permissions');
    expect(group.stdout).toMatch(/permissions apply[\s\S]*permissions set/);
    const { document, exitCode } = await runJson('permissions', '--help');
    const ids: string[] = document.commands.map((command: { id: string }) => command.id);
    expect([exitCode, ids.length > 3, ids.every((id) => id.startsWith('permissions '))]).toEqual([0, true, true]);
    expect((await run('help', 'exit-codes')).stdout).toMatch(/130 +interrupted/);
    expect((await runJson('help', 'environment')).document.rows).toContainEqual(
      expect.objectContaining({ variable: 'SERVICE_AUTH_TOKEN' }),
    );
  });

  it('gives the help as data', async () => {
    const all = await runJson('--help');
    expect(all.document.commands.map((command: { id: string }) => command.id)).toContain('push');
    expect(all.document.exitCodes).toMatchObject({ ok: 0, usage: 2, bug: 70 });
    const one = await runJson('push', '--help');
    expect(one.document.command).toMatchObject({ id: 'push', aliases: ['publish', 'deploy'] });
    expect(one.exitCode).toBe(0);
  });

  it('says its version, as text and as data', async () => {
    expect((await run('--version')).stdout).toMatch(/^@vendor\/cloud\/\d+\.\d+\.\d+ \S+ node-v\d+/);
    expect((await runJson('--version')).document).toMatchObject({
      name: '@vendor/cloud',
      version: expect.stringMatching(/^\d+\./),
    });
  });

  it('suggests the command that was meant and does not run it', async () => {
    const { document, exitCode, stderr } = await runJson('psuh');
    expect(document.error).toMatchObject({ code: 'USAGE_UNKNOWN_COMMAND', message: expect.stringContaining('"push"') });
    expect([exitCode, stderr]).toEqual([2, '']);
  });

  it('suggests the command that was meant behind one that begins the names of others', async () => {
    const { document, exitCode } = await runJson('mcp', 'tols', '--json');
    expect(document.error.message).toBe('There is no command "mcp tols". Did you mean "mcp tools"?');
    expect(exitCode).toBe(2);
  });

  it.each([
    ['an unknown flag', ['push', '--mesage', 'x']],
    ['a flag of the wrong kind', ['versions', '--limit', 'many']],
    ['a number out of range', ['versions', '--limit', '0']],
    ['an unknown choice', ['bootstrap', 'x', '--template', 'castle']],
    ['an argument too many', ['versions', 'all']],
    ['a server that is served already', ['mcp', '--mcp-url', 'http://127.0.0.1:9/mcp']],
    ['a question that nobody can answer', ['bootstrap', 'x']],
    ['a token that is not there', ['login', '--token-stdin']],
    ['a malformed secret', ['bootstrap', 'x', '--template', 'shop', '--env-secret', 'ABC']],
  ])('refuses %s with 2 and how to go on', async (_what, words) => {
    const { document, exitCode, stderr } = await runJson(...words);
    expect(document.error).toMatchObject({
      code: 'USAGE_INVALID',
      nextSteps: [expect.stringMatching(/./), ...document.error.nextSteps.slice(1)],
    });
    expect([exitCode, stderr]).toEqual([2, '']);
    const person = await run(...words);
    expect(person.stderr).toContain('[USAGE_INVALID]');
    expect([person.exitCode, person.stdout]).toEqual([2, '']);
  });

  it('writes no colour into a pipe, and none where it is asked not to', async () => {
    const escapeCode = '\u001b[';
    expect((await run('psuh')).stderr).not.toContain(escapeCode);
    const forced = { cwd: await temporaryFolder(), env: { FORCE_COLOR: '1' } };
    expect((await runCli(['psuh'], forced)).stderr).toContain(escapeCode);
    expect((await runCli(['psuh', '--no-color'], forced)).stderr).not.toContain(escapeCode);
    expect((await runCli(['psuh'], { ...forced, env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stderr).not.toContain(
      escape,
    );
  });

  it('takes --json from its variable', async () => {
    const { stdout } = await runCli(['psuh'], { cwd: await temporaryFolder(), env: { SERVICE_JSON: 'true' } });
    expect(JSON.parse(stdout).error.code).toBe('USAGE_UNKNOWN_COMMAND');
  });
});
