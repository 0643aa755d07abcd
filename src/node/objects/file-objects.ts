import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import type { ObjectStore, ObjectWriter } from '#kernel/ports/object-store';
import { isAbsent, unreadable, unwritable } from '../files/file-errors.ts';
import { nodeFileSystem } from '../files/node-file-system.ts';

/** Files that are written here are not complete. A name that begins so is read by no engine. */
const unfinishedFolder = '.unfinished';
/** What is older than that was left by a run that somebody killed. */
const leftBehindMs = 24 * 60 * 60_000;

/** A folder. */
export function openFileObjects(root: string): ObjectStore {
  const at = (name: string) => path.join(root, ...name.split('/'));
  return {
    name: root,
    async list(prefix) {
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const names = (await nodeFileSystem.listDeep(at(folder))).map((name) => `${folder}${name}`);
      const found = names.filter((name) => name.startsWith(prefix) && !name.startsWith(`${unfinishedFolder}/`));
      return Promise.all(found.map(async (name) => ({ path: name, bytes: await sizeOf(at(name)) })));
    },
    readText: (name) => nodeFileSystem.readText(at(name)),
    async read(name, from, to) {
      const bytes = Buffer.allocUnsafe(to - from);
      const found = await reading(at(name), async () => {
        await using file = await fs.open(at(name));
        return (await file.read(bytes, 0, bytes.length, from)).bytesRead;
      });
      if (found < bytes.length) throw unreadable(at(name), new Error('it is shorter than it was'));
      return bytes;
    },
    create: (name) => createFile(root, at(name)),
    remove: (name) => nodeFileSystem.remove(at(name)),
  };
}

async function createFile(root: string, file: string): Promise<ObjectWriter> {
  const folder = path.join(root, unfinishedFolder);
  await removeLeftBehind(folder);
  const unfinished = path.join(folder, randomUUID());
  const handle = await writing(unfinished, async () => {
    await fs.mkdir(folder, { recursive: true });
    return fs.open(unfinished, 'wx', 0o600);
  });
  let isOpen = true;
  const close = async () => {
    isOpen = false;
    await handle.close();
  };
  return {
    write: (bytes) => writing(unfinished, () => handle.writeFile(bytes)),
    complete: () =>
      writing(file, async () => {
        await handle.sync();
        await close();
        await fs.mkdir(path.dirname(file), { recursive: true });
        await fs.rename(unfinished, file);
        await syncFolder(path.dirname(file));
      }),
    async abort() {
      if (isOpen) await writing(unfinished, close);
      await nodeFileSystem.remove(unfinished);
    },
  };
}

async function removeLeftBehind(folder: string): Promise<void> {
  for (const name of await nodeFileSystem.list(folder)) {
    const file = path.join(folder, name);
    const writtenAt = (await nodeFileSystem.modifiedAtMs(file)) ?? Number.POSITIVE_INFINITY;
    if (writtenAt < Date.now() - leftBehindMs) await nodeFileSystem.remove(file);
  }
}

/** The name of a file outlives a loss of power once its folder is written. Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await using handle = await fs.open(folder);
  await handle.sync();
}

async function sizeOf(file: string): Promise<number> {
  return (await reading(file, () => fs.stat(file))).size;
}

async function reading<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    throw unreadable(file, isAbsent(error) ? new Error('it is not there any more') : error);
  }
}

async function writing<Result>(file: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw unwritable(file, error);
  }
}
