import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createConsoleProject } from '../helpers/console-project.ts';
import { DevProcess } from '../helpers/dev-process.ts';
import { endWithTest } from '../helpers/end-with-test.ts';
import { eventually } from '../helpers/eventually.ts';
import { call } from '../helpers/rest-call.ts';
import { runCli } from '../helpers/run-cli.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');

it('vendor-cloud audit undo writes nothing where there is a conflict, asks first, and says what was taken back where a write fails', {
  tags: 'long',
}, async () => {
  const cwd = await createConsoleProject();
  const dev = new DevProcess(bin, ['dev'], { cwd });
  endWithTest(dev.child);
  const { agent, token } = (await dev.next('ready')) as unknown as { agent: { url: string }; token: string };
  const asked = { agentUrl: agent.url, token };
  const change = async (id: number, reference: string) => {
    const body = { data: { attributes: { reference } } };
    expect((await call(asked, `/orders/${id}`, { method: 'PUT', body })).status).toBe(200);
  };
  const database = await openSqlite(path.join(cwd, 'shop.sqlite'));
  const references = () =>
    database.all('select reference from orders where id in (1, 2) order by id').map(({ reference }) => reference);
  const { user } = JSON.parse((await runCli(['whoami', '--json'], { cwd })).stdout) as { user: { email: string } };
  const undo = (...more: string[]) =>
    runCli(['audit', 'undo', '--user', user.email, '--since', '1h', ...more], { cwd });
  const search = async () => {
    const found = await runCli(['audit', 'search', '--collection', 'orders', '--json'], { cwd });
    const { logs } = JSON.parse(found.stdout) as {
      logs: { id: string; type: string; status: string; label?: string; undoes?: string }[];
    };
    return logs.filter(({ type }) => type === 'write');
  };
  const before = references();
  await change(1, 'first');
  await change(2, 'second');
  await eventually(async () => expect(await search()).toHaveLength(2), { interval: 500 });

  // Somebody writes past the agent.
  database.execute("update orders set reference = 'elsewhere' where id = 2");
  const conflict = await undo('--yes');
  expect(conflict).toMatchObject({ exitCode: 5, stdout: '' });
  expect(conflict.stderr).toContain('orders 2: reference was "second" after the write and is "elsewhere" now.');
  expect(references()).toEqual(['first', 'elsewhere']);
  database.execute("update orders set reference = 'second' where id = 2");

  // Without a terminal nobody can be asked.
  expect(await undo()).toMatchObject({ exitCode: 2, stdout: '' });
  expect(references()).toEqual(['first', 'second']);

  // The newest write goes back first. The database then refuses the other one.
  database.execute(
    "create trigger no_change before update on orders when old.id = 1 begin select raise(abort, 'closed year'); end",
  );
  const stopped = await undo('--yes');
  expect(stopped.exitCode).toBe(1);
  expect(stopped.stdout).toMatch(/orders +2 +taken back: it was changed/);
  expect(stopped.stdout).toMatch(/orders +1 +left: /);
  expect(stopped.stdout).toContain('Stopped. Taken back: 1. Not taken back: 1.');
  expect(references()).toEqual(['first', before[1]]);

  database.execute('drop trigger no_change');
  // The row of the undo names the write that it took back.
  await eventually(
    async () => {
      const writes = await search();
      expect(writes.find(({ label, status }) => label === 'undo' && status === 'completed')?.undoes).toBe(
        writes.toReversed()[1]?.id,
      );
    },
    { interval: 500 },
  );
  // Asked by its address, as an agent that is deployed: with a token of the person.
  const done = await undo('--yes', '--env', 'development', '--agent-url', agent.url);
  expect(done).toMatchObject({ exitCode: 0, stderr: '' });
  expect(done.stdout).toContain('Taken back: 1.');
  expect(references()).toEqual(before);
  // What was taken back is known once its report is in the log.
  await eventually(
    async () => {
      const undone = (await search()).filter(({ label, status }) => label === 'undo' && status === 'completed');
      expect(undone).toHaveLength(2);
    },
    { interval: 500 },
  );
  expect((await undo('--yes')).stdout).toContain('Nothing was taken back.');
  database.close();
});
