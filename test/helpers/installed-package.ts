import { createHash } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';

const repository = path.resolve(import.meta.dirname, '../..');
const work = path.join(repository, '.tmp');

export interface InstalledPackage {
  /** The empty folder the tarball was installed in. */
  readonly folder: string;
  /** Path of the launcher, to be run with `process.execPath`. */
  readonly bin: string;
  /** Folder of the package. */
  readonly root: string;
}

/**
 * Pack the package and install the tarball in an empty folder. The same bytes are installed once, before the tests
 * begin (`vitest.config.ts` names this file's `setup` as global setup), and found again afterwards.
 */
export async function installedPackage(): Promise<InstalledPackage> {
  await mkdir(work, { recursive: true });
  const packing = await mkdtemp(path.join(work, 'pack-'));
  try {
    // Packing would build, and the tests have built already.
    await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', packing], { cwd: repository });
    const [name = ''] = await readdir(packing);
    const tarball = path.join(packing, name);
    const inputs = [await readFile(tarball), await readFile(path.join(repository, 'package-lock.json'))];
    const digest = createHash('sha256').update(Buffer.concat(inputs)).digest('hex').slice(0, 16);
    const folder = path.join(work, `installed-${digest}`);
    if (!(await isThere(folder))) await install(tarball, folder);
    const root = path.join(folder, 'node_modules/@vendor/cloud');
    return { folder, root, bin: path.join(root, 'bin/vendor-cloud.js') };
  } finally {
    await rm(packing, { recursive: true });
  }
}

/** Called once before the tests of a project begin. */
export async function setup(): Promise<void> {
  await installedPackage();
}

async function install(tarball: string, folder: string): Promise<void> {
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const manifest = { name: 'empty', private: true, allowScripts: { esbuild: true, 'better-sqlite3': false } };
  await writeFile(path.join(unfinished, 'package.json'), JSON.stringify(manifest));
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-save', tarball], {
    cwd: unfinished,
  });
  await rename(unfinished, folder).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(unfinished, { recursive: true }); // Another test was first.
  });
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
