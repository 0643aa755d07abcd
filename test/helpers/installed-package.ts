import { createHash } from 'node:crypto';
import { access, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { packFacades, packThis } from '../../scripts/pack/pack-facades.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const work = path.join(repository, '.tmp');
const tarballFolder = 'tarballs';

export interface InstalledPackage {
  /** The empty folder the tarballs were installed in. */
  readonly folder: string;
  /** Path of the launcher, to be run with `process.execPath`. */
  readonly bin: string;
  /** Folder of the package. */
  readonly root: string;
  /** Paths of the tarballs of the package and of its façades. */
  readonly tarballs: readonly string[];
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly installedPackage: InstalledPackage;
  }
}

/** Called once before the tests of a project begin (`vitest.config.ts` names this file as global setup). */
export async function setup(project: TestProject): Promise<void> {
  project.provide('installedPackage', await packAndInstall());
}

/** The package and its façades, packed and installed in an empty folder before the tests began. */
export function installedPackage(): InstalledPackage {
  return inject('installedPackage');
}

/** The same bytes are installed once, and found again by later runs. */
async function packAndInstall(): Promise<InstalledPackage> {
  await mkdir(work, { recursive: true });
  const packing = await mkdtemp(path.join(work, 'pack-'));
  try {
    const tarballs = [await packThis(packing), ...(await packFacades(packing))];
    const inputs = await Promise.all(
      [...tarballs, path.join(repository, 'package-lock.json')].map((file) => readFile(file)),
    );
    const digest = createHash('sha256').update(Buffer.concat(inputs)).digest('hex').slice(0, 16);
    const folder = path.join(work, `installed-${digest}`);
    if (!(await isThere(folder))) await install(packing, folder);
    const root = path.join(folder, 'node_modules/@vendor/cloud');
    const kept = tarballs.map((tarball) => path.join(folder, tarballFolder, path.basename(tarball)));
    return { folder, root, bin: path.join(root, 'bin/vendor-cloud.js'), tarballs: kept };
  } finally {
    await rm(packing, { recursive: true });
  }
}

/** @param packed The folder of the tarballs. */
async function install(packed: string, folder: string): Promise<void> {
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const kept = path.join(unfinished, tarballFolder);
  await cp(packed, kept, { recursive: true });
  const tarballs = (await readdir(kept)).map((name) => path.join(kept, name));
  const manifest = { name: 'empty', private: true, allowScripts: { esbuild: true, 'better-sqlite3': false } };
  await writeFile(path.join(unfinished, 'package.json'), JSON.stringify(manifest));
  await execa('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-save', ...tarballs], {
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
