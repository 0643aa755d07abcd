import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const packages = path.join(repository, 'node_modules');

/** A new project with the test runner of this repository. `bootstrap` has linked the package itself. */
async function newProject(template: 'shop' | 'blank'): Promise<string> {
  const folder = await temporaryFolder();
  const uri = template === 'blank' ? { uri: await createShopFile(folder) } : {};
  const { path: root } = await bootstrap(flowContext(folder), { directory: template, template, ...uri });
  for (const name of ['vitest', '@types'])
    await symlink(path.join(packages, name), path.join(root, 'node_modules', name));
  const compilerOptions = { types: ['node'], skipLibCheck: true };
  const settings = { extends: './tsconfig.json', compilerOptions, include: ['spec', 'src', 'typings.d.ts'] };
  await writeFile(path.join(root, 'tsconfig.spec.json'), JSON.stringify(settings));
  // The package is linked here; in a project of its own it is below node_modules, which Vitest leaves as it is.
  const config = 'export default { test: { server: { deps: { external: [/\\/dist\\//] } } } };';
  await writeFile(path.join(root, 'vitest.config.mjs'), config);
  return root;
}

/** What the compiler and the specs of a new project say. */
async function checkProject(template: 'shop' | 'blank') {
  const cwd = await newProject(template);
  const env = { NO_COLOR: '1', NODE_OPTIONS: '' };
  const options = { cwd, preferLocal: true, localDir: repository, env, reject: false };
  const [types, run] = await Promise.all([
    execa('tsc', ['-p', 'tsconfig.spec.json'], options),
    execa('vitest', ['run', 'spec'], options),
  ]);
  return { types: types.stdout, exitCodes: [types.exitCode, run.exitCode], run: run.stdout };
}

it('the specs of the templates compile and pass', { tags: 'long' }, async () => {
  // Most of the time goes to starting compilers and test runners, so all of them start at once.
  const checks = await Promise.all([checkProject('shop'), checkProject('blank')]);
  for (const check of checks) {
    expect(check).toEqual({
      types: '',
      exitCodes: [0, 0],
      run: expect.stringMatching(/Test Files {2}1 passed \(1\)/),
    });
  }
});
