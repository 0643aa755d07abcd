import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DevProcess } from '../../test/helpers/dev-process.ts';
import { codeOfRevision } from '../../test/helpers/revision-code.ts';
import type { Bench } from '../bench-report.ts';
import { median, percentile, rounded } from '../statistics.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');
const bin = path.join(repository, 'bin/vendor-cloud.js');
const bareProgram = path.join(import.meta.dirname, 'bare.js');
const bundleBytes = 5 * 1024 * 1024;

/** What a push takes, from the command to its end: of new code, with all checks, and of code that is live already. */
export const benchPush: Bench = async ({ isQuick }) => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-')));
  try {
    const root = await createProject(folder);
    const platform = new DevProcess(bin, ['sandbox', '--port', '0', '--json'], { cwd: root });
    await platform.next('ready');
    try {
      return { name: 'push', figures: await measure(root, isQuick ? 5 : 20) };
    } finally {
      await platform.interrupt();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The sample shop, with a package of five megabytes in its bundle and the compiler that checks its types. */
async function createProject(folder: string): Promise<string> {
  await run(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install'], { cwd: folder });
  const root = path.join(folder, 'shop');
  const modules = path.join(root, 'node_modules');
  await mkdir(path.join(modules, 'atlas'), { recursive: true });
  await symlink(path.join(repository, 'node_modules/typescript'), path.join(modules, 'typescript'));
  const line = "  'a line of some data that a package carries along and nobody would want to read',\n";
  const lines = line.repeat(Math.ceil(bundleBytes / line.length));
  const manifest = { name: 'atlas', version: '1.0.0', main: 'index.js', types: 'index.d.ts' };
  await Promise.all([
    writeFile(path.join(modules, 'atlas/index.js'), `exports.atlas = [\n${lines}];\n`),
    writeFile(path.join(modules, 'atlas/index.d.ts'), 'export declare const atlas: readonly string[];\n'),
    writeFile(path.join(modules, 'atlas/package.json'), JSON.stringify(manifest)),
  ]);
  return root;
}

async function measure(root: string, pushes: number) {
  const first: number[] = [];
  const unchanged: number[] = [];
  const bare: number[] = [];
  let sizeBytes = 0;
  for (let revision = 1; revision <= pushes; revision++) {
    const code = `import { atlas } from 'atlas';\nexport const size = atlas.length;\n${codeOfRevision(`r${revision}`)}`;
    await writeFile(path.join(root, 'src/index.ts'), code);
    const pushed = await push(root);
    // Which of the two goes first alternates.
    if (revision % 2 === 0) bare.push(await buildBare(root));
    const again = await push(root);
    if (revision % 2 === 1) bare.push(await buildBare(root));
    if (pushed.result.deployment.state !== 'live' || pushed.result.isUnchanged || !again.result.isUnchanged)
      throw new Error(`Push ${revision} did something else: ${JSON.stringify([pushed.result, again.result])}`);
    if (pushed.result.version.number !== revision) throw new Error(`Push ${revision} made another version.`);
    sizeBytes = pushed.result.version.sizeBytes;
    first.push(pushed.ms);
    unchanged.push(again.ms);
  }
  return {
    firstP50Ms: rounded(median(first)),
    firstP95Ms: rounded(percentile(first, 95)),
    unchangedP50Ms: rounded(median(unchanged)),
    unchangedP95Ms: rounded(percentile(unchanged, 95)),
    unchangedRatio: rounded(median(unchanged.map((ms, index) => ms / (bare[index] ?? Number.NaN)))),
    bareP50Ms: rounded(median(bare)),
    bundleMb: rounded(sizeBytes / 1024 / 1024),
    pushes,
  };
}

async function push(root: string) {
  const start = performance.now();
  const { stdout } = await run(process.execPath, [bin, 'push', '--json'], { cwd: root });
  return { ms: performance.now() - start, result: JSON.parse(stdout) };
}

/** The least possible program on the same code, in milliseconds. */
async function buildBare(root: string): Promise<number> {
  const start = performance.now();
  const { stdout } = await run(process.execPath, [bareProgram, path.join(root, 'src/index.ts')], { cwd: root });
  if (Number(stdout) < bundleBytes) throw new Error('The bare program built something else.');
  return performance.now() - start;
}
