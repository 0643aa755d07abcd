import { strict as assert } from 'node:assert';
import { DevProcess } from '../../helpers/dev-process.ts';
import type { ServedProject } from './served-project.ts';

/** The log has what the code printed and why code was refused. */
export async function readTheLogs(project: ServedProject): Promise<void> {
  const printed = await linesOfLog(project, '--grep', 'greeted');
  assert.deepEqual([printed[0]?.level, printed[0]?.source], ['Info', 'dev'], JSON.stringify(printed));
  const [refused] = await linesOfLog(project, '--level', 'error', '--grep', 'on purpose');
  assert.match(refused?.text ?? '', /\[CUSTOMIZATION_FAILED\]/);
}

async function linesOfLog(project: ServedProject, ...flags: string[]) {
  const { exitCode, stdout, stderr } = await project.run('logs', ...flags, '--json');
  assert.equal(exitCode, 0, stderr);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly level: string; readonly source: string; readonly text: string });
}

/** Delete a category, and see that the log names the developer, and that the log holds. */
export async function findWhoDeleted(project: ServedProject, category: string, developer: string) {
  assert.equal((await project.api('DELETE', `/categories/${category}`)).status, 204);
  assert.equal((await project.api('GET', `/categories/${category}`)).status, 404);
  await followUntilDeleted(project, category);
  const found = await project.result('audit', 'search', '--collection', 'categories', '--record', category);
  const deletions = (found.logs as Log[]).filter(({ action }) => action === 'delete');
  assert.deepEqual(
    deletions.map(({ status, user }) => [status, user.email]),
    [['completed', developer]],
  );
  const { outcome, rows } = await project.result('audit', 'verify');
  assert.equal(outcome, 'holds');
  return { rows };
}

interface Log {
  readonly action: string;
  readonly status: string;
  readonly user: { readonly email: string };
}

/** The agent reports what people do a moment later. The tail of the log says when it is there. */
async function followUntilDeleted({ bin, root }: ServedProject, category: string): Promise<void> {
  const tail = new DevProcess(bin, ['audit', 'tail', '--from-start'], { cwd: root });
  process.on('exit', () => tail.child.kill('SIGKILL'));
  await tail.nextWhere(
    (row) =>
      row['action'] === 'delete' && (row['recordIds'] as readonly string[] | undefined)?.includes(category) === true,
    'the deletion',
  );
  assert.equal(await tail.interrupt(), 0);
}
