import path from 'node:path';
import { type LocalLogLine, localLogFolders, localLogLineSchema } from '#contracts/local-log';
import type { FileSystem } from '#kernel/ports/file-system';
import type { LogSource } from './log-source.ts';

/** The logs that `dev` and `serve` keep in a project, as one. */
export function localLogSource(fs: FileSystem, root: string): LogSource {
  /** How many lines of each run were read. */
  const read = new Map<string, number>();
  const unread = async (): Promise<readonly LocalLogLine[]> => {
    const lines = (await readAll(fs, root)).filter(({ run, sequence }) => sequence > (read.get(run) ?? 0));
    for (const { run, sequence } of lines) read.set(run, Math.max(sequence, read.get(run) ?? 0));
    return lines;
  };
  return {
    pauseMs: 500,
    async *newest() {
      yield* (await unread()).toReversed();
    },
    newLines: unread,
  };
}

async function readAll(fs: FileSystem, root: string): Promise<readonly LocalLogLine[]> {
  const files = await Promise.all(
    localLogFolders.map(async (folder) => {
      const names = await fs.list(path.join(root, folder));
      return names.filter((name) => name.endsWith('.ndjson')).map((name) => path.join(root, folder, name));
    }),
  );
  const texts = await Promise.all(files.flat().map(async (file) => (await fs.readText(file)) ?? ''));
  const lines = texts.flatMap((text) => text.split('\n').flatMap(readLine));
  return lines.sort((a, b) => (a.at === b.at ? a.sequence - b.sequence : a.at < b.at ? -1 : 1));
}

/** A line that is being written, or was cut by a crash, is none yet. */
function readLine(text: string): readonly LocalLogLine[] {
  try {
    const { success, data } = localLogLineSchema.safeParse(JSON.parse(text));
    return success ? [data] : [];
  } catch {
    return [];
  }
}
