import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { FileSystem } from '#kernel/ports/file-system';
import { errnoOf, isAbsent, unreadable, unwritable } from './file-errors.ts';

/** The machine's own files. */
export const nodeFileSystem: FileSystem = {
  readText: (file) => reading(file, () => fs.readFile(file, 'utf8')),
  readBytes: (file) => reading(file, () => fs.readFile(file)),
  readLines,

  async writeAtomically(file, content, options) {
    await writing(file, async () => {
      await fs.mkdir(path.dirname(file), { recursive: true });
      const data = typeof content === 'string' ? content : Buffer.from(content);
      await writeFileAtomic(file, data, options?.mode === undefined ? {} : { mode: options.mode });
    });
  },

  createExclusively(file, content, options) {
    return writing(file, async () => {
      await fs.mkdir(path.dirname(file), { recursive: true });
      try {
        await fs.writeFile(file, content, { flag: 'wx', mode: options?.mode ?? 0o666 });
        return true;
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') return false;
        throw error;
      }
    });
  },

  append: (file, content, options) =>
    writing(file, () =>
      fs.appendFile(file, content, { mode: options?.mode ?? 0o666, flush: options?.isDurable ?? false }),
    ),

  async openForAppending(file, options) {
    const handle = await writing(file, () => fs.open(file, 'a', options?.mode ?? 0o666));
    return {
      append: (content) =>
        writing(file, async () => {
          await handle.appendFile(content);
          if (options?.isDurable) await handle.datasync();
        }),
      close: () => writing(file, () => handle.close()),
    };
  },

  truncate: (file, bytes) => writing(file, () => fs.truncate(file, bytes)),

  async exists(file) {
    return (await reading(file, () => fs.stat(file))) !== null;
  },

  async isFolder(folder) {
    return (await reading(folder, () => fs.stat(folder)))?.isDirectory() ?? false;
  },

  async isLink(file) {
    return (await reading(file, () => fs.lstat(file)))?.isSymbolicLink() ?? false;
  },

  async modifiedAtMs(file) {
    return (await reading(file, () => fs.stat(file)))?.mtimeMs ?? null;
  },

  async list(folder) {
    return ((await reading(folder, () => fs.readdir(folder))) ?? []).sort();
  },

  async listDeep(folder) {
    const entries = (await reading(folder, () => fs.readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
      .sort();
  },

  makePrivateFolder: (folder) =>
    writing(folder, async () => {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 });
      await fs.chmod(folder, 0o700);
    }),

  makeTemporaryFolderBeside(target) {
    const parent = path.dirname(target);
    return writing(parent, async () => {
      await fs.mkdir(parent, { recursive: true });
      // `mkdtemp` would make a folder that no other user may ever open.
      const folder = path.join(parent, `.${path.basename(target)}-${randomBytes(4).toString('hex')}`);
      await fs.mkdir(folder);
      return folder;
    });
  },

  rename: (from, to) => writing(to, () => fs.rename(from, to)),
  remove: (target) => writing(target, () => fs.rm(target, { recursive: true, force: true })),

  linkFolder(target, link) {
    return writing(link, async () => {
      await fs.mkdir(path.dirname(link), { recursive: true });
      await fs.symlink(target, link, process.platform === 'win32' ? 'junction' : 'dir');
    });
  },

  linkProgram(target, link) {
    return writing(link, async () => {
      await fs.mkdir(path.dirname(link), { recursive: true });
      if (process.platform === 'win32') await fs.writeFile(`${link}.cmd`, `@node "${target}" %*\r\n`);
      else await fs.symlink(target, link);
    });
  },
};

async function reading<Result>(file: string, read: () => Promise<Result>): Promise<Result | null> {
  try {
    return await read();
  } catch (error) {
    if (isAbsent(error)) return null;
    throw unreadable(file, error);
  }
}

async function writing<Result>(file: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** JSON may hold the other line ends of Unicode, so that a line ends with a line feed only. */
async function* readLines(file: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      yield lines.map((line) => `${line}\n`);
    }
  } catch (error) {
    throw unreadable(file, error);
  }
  if (rest !== '') yield [rest];
}
