import { describe, expect, it } from 'vitest';
import { createTools } from '#node/system/system-tools';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const PATH = process.env['PATH'] ?? '';
const node = (code: string) => ({ program: process.execPath, parameters: ['-e', code], deadlineMs: 10_000 });

describe('a tool of the machine', () => {
  it('gets its input, its folder and the variables it was given, and no others', async () => {
    const folder = await temporaryFolder();
    const tools = createTools({ PATH, NAME: 'value' }, folder);
    const code = `process.stdin.on('data', (data) => process.stdout.write(JSON.stringify(
      [data.toString(), process.cwd(), process.env.NAME, process.env.HOME ?? null])))`;
    const { exitCode, stdout } = await tools.run({ ...node(code), input: 'secret' });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, ['secret', folder, 'value', null]]);
  });

  it('tells how it ended, also when it could not begin or did not end in time', async () => {
    const tools = createTools({ PATH }, await temporaryFolder());
    expect(await tools.run(node('console.error("why"); process.exit(3)'))).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: 'why',
    });
    const absent = { program: 'no-such-program-of-anybody', parameters: [], deadlineMs: 1_000 };
    expect(await tools.run(absent)).toMatchObject({ exitCode: null });
    const endless = { ...node('setInterval(() => undefined, 1000)'), deadlineMs: 200 };
    expect(await tools.run(endless)).toMatchObject({ exitCode: null });
    const interrupted = { ...endless, deadlineMs: 10_000, signal: AbortSignal.timeout(200) };
    expect(await tools.run(interrupted)).toMatchObject({ exitCode: null });
  });

  it('need not read its input, and may write more than a pipe holds', async () => {
    const tools = createTools({ PATH }, await temporaryFolder());
    const code = 'process.stdout.write("ä".repeat(300_000) + "\\n\\n"); process.stdin.destroy()';
    const { exitCode, stdout } = await tools.run({ ...node(code), input: 'x'.repeat(300_000) });
    expect([exitCode, stdout]).toEqual([0, `${'ä'.repeat(300_000)}\n`]);
  });

  it('leaves nothing to wait for when it is ended, not even what it has started', async () => {
    const tools = createTools({ PATH }, await temporaryFolder());
    const code = `
      const child = require('node:child_process').spawn('sleep', ['60'], { stdio: 'inherit', detached: true });
      console.log(child.pid);
      setInterval(() => undefined, 1000);`;
    const { exitCode, stdout } = await tools.run({ ...node(code), deadlineMs: 1_000 });
    expect(exitCode).toBe(null);
    process.kill(Number(stdout));
  });

  it('is not looked for where no search path is set', async () => {
    expect(await createTools({}, await temporaryFolder()).run(node('0'))).toMatchObject({ exitCode: null });
  });
});
