import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { facades, filesOfFacade, type PackedFrom } from './facades.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** Make the tarballs of all façades in a folder that is there. Resolves with their paths. */
export async function packFacades(destination: string): Promise<readonly string[]> {
  const from = JSON.parse(await readFile(path.join(repository, 'package.json'), 'utf8')) as PackedFrom;
  const work = await mkdtemp(path.join(tmpdir(), 'vendor-facades-'));
  try {
    return await Promise.all(
      facades.map(async (facade) => {
        const folder = path.join(work, facade.part);
        await mkdir(folder);
        for (const [file, text] of Object.entries(filesOfFacade(facade, from))) {
          await writeFile(path.join(folder, file), text);
        }
        await copyFile(path.join(repository, 'LICENSE'), path.join(folder, 'LICENSE'));
        return packFolder(folder, destination);
      }),
    );
  } finally {
    await rm(work, { recursive: true });
  }
}

/** Make the tarball of this package, which has been built. Resolves with its path. */
export function packThis(destination: string): Promise<string> {
  return packFolder(repository, destination);
}

/** `npm pack` in a folder of its own, whose one file is the tarball. */
async function packFolder(folder: string, destination: string): Promise<string> {
  const packing = await mkdtemp(path.join(destination, 'pack-'));
  try {
    await execa('npm', ['pack', '--ignore-scripts', '--pack-destination', packing], { cwd: folder });
    const [name = ''] = await readdir(packing);
    const tarball = path.join(destination, name);
    await rename(path.join(packing, name), tarball);
    return tarball;
  } finally {
    await rm(packing, { recursive: true });
  }
}
