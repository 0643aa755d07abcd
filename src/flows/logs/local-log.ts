import path from 'node:path';
import type { LocalLogLine, LogLine } from '#contracts/local-log';
import { toCloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** Where a process keeps what it says, bounded in size. */
export interface LocalLog {
  add(level: LogLine['level'], text: string): void;
  /** Resolves when all lines are on the disk. */
  close(): Promise<void>;
}

/** A file of this size is put aside, in the place of the one that was put aside before, in bytes. */
const maxFileBytes = 1024 * 1024;
const maxTextLength = 4000;

/**
 * A log in a folder: `<source>.ndjson`, and what came before in `<source>.1.ndjson`. A folder that cannot be written is told once,
 * and nothing is kept then: a log must not end what it is about.
 */
export function createLocalLog(context: FlowContext, folder: string, source: string): LocalLog {
  const { fs, clock, random, reporter } = context;
  const file = path.join(folder, `${source}.ndjson`);
  const run = random.hex(4);
  let sequence = 0;
  let waiting = '';
  let size: number | undefined;
  let isBroken = false;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const text = waiting;
    waiting = '';
    if (text === '' || isBroken) return;
    try {
      if (size === undefined) await fs.makePrivateFolder(folder);
      size ??= (await fs.readBytes(file))?.byteLength ?? 0;
      if (size > maxFileBytes) {
        await fs.rename(file, path.join(folder, `${source}.1.ndjson`));
        size = 0;
      }
      await fs.append(file, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
    } catch (error) {
      isBroken = true;
      reporter.warn(`The log is not kept. ${toCloudError(error).message}`);
    }
  };

  return {
    add(level, text) {
      sequence += 1;
      const at = new Date(clock.now()).toISOString();
      const line: LocalLogLine = { at, level, source, text: text.trimEnd().slice(0, maxTextLength), run, sequence };
      waiting += `${JSON.stringify(line)}\n`;
      writing = writing.then(write);
    },
    close: () => writing,
  };
}
