import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExecInput, exec } from '#flows/run/exec';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

async function run(root: string, script: string, change: Partial<ExecInput> = {}) {
  return exec(flowContext(root), {
    folder: root,
    words: [process.execPath, '--input-type=module', '-e', script],
    output: 'stderr',
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    signal: new AbortController().signal,
    ...change,
  });
}

/** Asks both servers, and writes the answers down. */
const askBoth = `
  import { writeFileSync } from 'node:fs';
  const { env } = process;
  const ask = async (url, token) => {
    const answer = await fetch(url, { headers: { authorization: 'Bearer ' + token } });
    return { status: answer.status, body: await answer.json() };
  };
  const agent = await ask(env.SERVICE_AGENT_URL + '/products/count?timezone=UTC', env.SERVICE_AGENT_TOKEN);
  const platform = await ask(env.SERVICE_SERVER_URL + '/api/me', env.SERVICE_AUTH_TOKEN);
  writeFileSync('answers.json', JSON.stringify({ agent, platform, url: env.SERVICE_AGENT_URL }));
  process.exit(23);`;

async function answersIn(root: string) {
  return JSON.parse(await readFile(path.join(root, 'answers.json'), 'utf8')) as {
    agent: { status: number; body: unknown };
    platform: { status: number; body: unknown };
    url: string;
  };
}

async function stateFoldersOf(root: string): Promise<readonly string[]> {
  return (await readdir(path.join(root, '.vendor-cloud'))).filter((name) => name.startsWith('once-'));
}

describe('exec', () => {
  it('gives a program an agent and a platform, and its exit code back, and leaves nothing running', async () => {
    const root = await createShopProject();
    expect(await run(root, askBoth)).toMatchObject({ exitCode: 23, signal: null });
    const { agent, platform, url } = await answersIn(root);
    expect(agent).toEqual({ status: 200, body: { count: 800 } });
    expect(platform).toMatchObject({ status: 200, body: { user: { email: 'developer@test.local' } } });
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    expect(await stateFoldersOf(root)).toEqual([]);
  });

  it('serves under the rights of the person that was named', async () => {
    const root = await createShopProject();
    await writeFile(path.join(root, 'permissions.json'), JSON.stringify({ roles: { support: { collections: {} } } }));
    await run(root, askBoth, { as: 'role:support' });
    expect((await answersIn(root)).agent).toMatchObject({ status: 403 });
  });

  it('passes signals on, and tells the signal that ended the program as a shell does', async () => {
    const root = await createShopProject();
    const result = await run(root, 'setInterval(() => {}, 1000)', {
      onStarted: (program) => {
        program.send('SIGTERM');
        return () => undefined;
      },
    });
    expect(result).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
  });

  it('refuses a program that is not there', async () => {
    const root = await createShopProject();
    await expect(run(root, '', { words: ['no-such-program'] })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('The program "no-such-program" cannot be started'),
    });
    expect(await stateFoldersOf(root)).toEqual([]);
  });

  it('runs nothing when the code does not load, and removes what a killed run has left', async () => {
    const root = await createShopProject();
    await writeFile(path.join(root, 'src/index.ts'), 'export default () => { throw new Error("broken"); };');
    const abandoned = path.join(root, '.vendor-cloud', 'once-999999999-1-abcd');
    const { fs } = flowContext(root);
    await fs.makePrivateFolder(abandoned);
    await expect(run(root, askBoth)).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
    expect(await stateFoldersOf(root)).toEqual([]);
    await expect(answersIn(root)).rejects.toThrow('ENOENT');
  });
});
