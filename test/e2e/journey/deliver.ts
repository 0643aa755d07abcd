import { strict as assert } from 'node:assert';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { seeGreeting } from './change-the-code.ts';
import type { ServedProject } from './served-project.ts';

/** Generated types are written again, all checks pass, and so does the test that the project came with. */
export async function checkAndTest(project: ServedProject): Promise<Readonly<Record<string, string>>> {
  const typings = path.join(project.root, 'typings.d.ts');
  const before = await readFile(typings, 'utf8');
  assert.match(before, /shouted/);
  await writeFile(typings, '// emptied');
  assert.equal((await project.result('update-typings')).hasChanged, true);
  assert.equal(await readFile(typings, 'utf8'), before);

  const { steps } = await project.result('check');
  const tested = await project.run('exec', '--', process.execPath, '--test', '--test-reporter=tap');
  assert.equal(tested.exitCode, 0, `${tested.stdout} ${tested.stderr}`);
  assert.match(tested.stdout, /# pass 1\n# fail 0/);
  return Object.fromEntries(
    (steps as { readonly name: string; readonly state: string }[]).map(({ name, state }) => [name, state]),
  );
}

/** The first push does what its plan says. Resolves with the version, and the address of its author. */
export async function planAndPush(project: ServedProject) {
  const plan = await project.result('plan');
  assert.deepEqual([plan.live, plan.isUnchanged, plan.code.isChanged], [null, false, true]);
  const pushed = await project.result('push', '--plan', plan.id, '--message', 'first');
  assert.equal(pushed.version.digest, plan.code.after.digest);
  const { versions, live } = await project.result('versions');
  assert.equal(versions.length, 1);
  assert.equal(live, 1);
  const [{ number, digest, message, createdAt, author }] = versions;
  assert.equal(digest, pushed.version.digest);
  assert.equal(message, 'first');
  assert.match(createdAt, /^\d{4}-\d\d-\d\dT/);
  assert.ok(author.name.length > 0);
  return { version: { number, digest }, author: author.email as string };
}

/** The code on disk is refused with this code, and no version comes of it. */
export async function assertPushIsRefused(project: ServedProject, code: string): Promise<void> {
  const { exitCode, stdout } = await project.run('push', '--json');
  assert.equal(exitCode, 1, stdout);
  assert.equal(JSON.parse(stdout).error.code, code, stdout);
  assert.equal((await project.result('versions')).versions.length, 1);
}

/** A second version goes live, and then the first again. Resolves with the deployment that serves it. */
export async function pushAndRollBack(project: ServedProject) {
  const code = await project.readCode();
  await project.saveCode(code.replace('Hello', 'Welcome'));
  await project.dev.next('reloaded');
  const { body } = await project.api('GET', '/products/1');
  await seeGreeting(project, `Welcome ${body.data.attributes.title}`);
  const { version, deployment } = await project.result('push', '--message', 'second');
  assert.deepEqual([version.number, deployment.number, deployment.state], [2, 2, 'live']);

  const back = await project.result('rollback', '--yes');
  const { live, versions } = await project.result('versions');
  assert.deepEqual([live, versions.length], [1, 2]);
  const { number, state } = back.deployment;
  return { number, version: back.deployment.version, state };
}
