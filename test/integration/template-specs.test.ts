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

it.each(['shop', 'blank'] as const)('the spec of the template %s compiles and passes', async (template) => {
  const cwd = await newProject(template);
  const options = {
    cwd,
    preferLocal: true,
    localDir: repository,
    env: { NO_COLOR: '1', NODE_OPTIONS: '' },
    reject: false,
  };
  const [types, run] = await Promise.all([
    execa('tsc', ['-p', 'tsconfig.spec.json'], options),
    execa('vitest', ['run', 'spec'], options),
  ]);
  expect(types.stdout).toBe('');
  expect(run.stdout).toMatch(/Test Files {2}1 passed \(1\)/);
  expect([types.exitCode, run.exitCode]).toEqual([0, 0]);
});
