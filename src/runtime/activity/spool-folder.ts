import path from 'node:path';
import type { Clock } from '#kernel/ports/clock';
import type { AppendedFile, FileSystem } from '#kernel/ports/file-system';

/** The files that an agent left when it ended. */
interface LeftFiles {
  /** The lines of its files, one file after the other. */
  readonly text: string;
  /** Remove them. */
  discard(): Promise<void>;
}

/** The files of one agent, in a folder of its own below the one that agents of an environment may share. */
export interface SpoolFolder {
  /** @param isDurable whether it resolves only when the text outlives a loss of power. The file stays open then, until it is removed. */
  append(file: string, text: string, isDurable: boolean): Promise<void>;
  remove(file: string): Promise<void>;
  /** Renew the lease on the files. An owner that does not renew it for half a minute counts as gone. */
  renew(): Promise<void>;
  /** Take the files of one agent that is gone; of several takers one succeeds. */
  takeOver(): Promise<LeftFiles | undefined>;
  /** Give up the lease. Others may take the files over at once. */
  release(isEmpty: boolean): Promise<void>;
}

interface SpoolFolderOptions {
  /** The folder that agents of one environment may share. */
  readonly root: string;
  /** Names the own folder: a UUID. */
  readonly name: string;
  readonly fs: FileSystem;
  readonly clock: Clock;
}

const leaseMs = 30_000;
const leaseFile = 'lease';
/** When somebody first found a folder without a lease, in milliseconds since 1970. */
const foundFile = 'found';
const ignoreFile = '.gitignore';
const agentName = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const fileMode = { mode: 0o600 };

/** Write nothing before there is something to keep. */
export function createSpoolFolder({ root, name, fs, clock }: SpoolFolderOptions): SpoolFolder {
  const own = path.join(root, name);
  let isMade = false;
  /** Folders that were taken over and are not removed yet. */
  let held = 0;
  const writeLease = (until: number) => fs.writeAtomically(path.join(own, leaseFile), String(until), fileMode);
  const make = async () => {
    if (isMade) return;
    await writeLease(clock.now() + leaseMs);
    // The files tell who did what; nobody should commit them by accident.
    await fs.createExclusively(path.join(root, ignoreFile), '*\n', fileMode);
    isMade = true;
  };
  const durable = durableFiles(own, fs);
  /** Whether an agent has had the time to write its lease. It is about to, or was killed before it could. */
  const hasStayedWithoutLease = async (other: string) => {
    const note = path.join(root, other, foundFile);
    const [firstFound = ''] = (await fs.readText(note))?.split('\n') ?? [];
    if (firstFound !== '') return Number(firstFound) + leaseMs <= clock.now();
    try {
      await fs.append(note, `${clock.now()}\n`, fileMode);
    } catch (error) {
      // Another taker has moved it.
      if (await fs.exists(path.join(root, other))) throw error;
    }
    return false;
  };
  const isGone = async (other: string) => {
    const lease = await fs.readText(path.join(root, other, leaseFile));
    return lease === null ? hasStayedWithoutLease(other) : !(Number(lease) > clock.now());
  };

  return {
    append: async (file, text, isDurable) => {
      try {
        await make();
        if (!isDurable) await fs.append(path.join(own, file), text, fileMode);
        else await durable.append(file, text);
      } catch (error) {
        await durable.close(file);
        // Somebody may have removed the folder: it is made again for the next file.
        isMade = false;
        throw error;
      }
    },
    remove: async (file) => {
      await durable.close(file);
      await fs.remove(path.join(own, file));
    },
    renew: async () => {
      if (isMade) await writeLease(clock.now() + leaseMs);
    },
    takeOver: async () => {
      for (const other of await fs.list(root)) {
        if (other === name || !agentName.test(other) || !(await isGone(other))) continue;
        await make();
        const taken = path.join(own, other);
        if (!(await hasMoved(fs, path.join(root, other), taken))) continue;
        held++;
        const discard = async () => {
          await fs.remove(taken);
          held--;
        };
        return { text: await readLines(fs, taken), discard };
      }
      return undefined;
    },
    release: async (isEmpty) => {
      await durable.closeAll();
      if (!isMade) return;
      isMade = false;
      if (isEmpty && held === 0) await fs.remove(own);
      else await writeLease(0);
    },
  };
}

/** Files that stay open, and are on the disk after each text that is added. */
function durableFiles(folder: string, fs: FileSystem) {
  const opened = new Map<string, AppendedFile>();
  const open = async (file: string) => {
    const handle = await fs.openForAppending(path.join(folder, file), { ...fileMode, isDurable: true });
    opened.set(file, handle);
    return handle;
  };
  const close = async (file: string) => {
    const handle = opened.get(file);
    opened.delete(file);
    await handle?.close();
  };
  return {
    append: async (file: string, text: string) => (opened.get(file) ?? (await open(file))).append(text),
    close,
    closeAll: async () => {
      for (const file of [...opened.keys()]) await close(file);
    },
  };
}

/** Whether a folder could be moved; not when another taker was faster. */
async function hasMoved(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await fs.rename(from, to);
    return true;
  } catch (error) {
    if (await fs.exists(from)) throw error;
    return false;
  }
}

/** The lines of all files below a folder; what its agent had itself taken over is among them. */
async function readLines(fs: FileSystem, folder: string): Promise<string> {
  const files = (await fs.listDeep(folder)).filter((file) => file.endsWith('.jsonl'));
  const texts = await Promise.all(files.map((file) => fs.readText(path.join(folder, file))));
  return texts.map((text) => `${text ?? ''}\n`).join('');
}
