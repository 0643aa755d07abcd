import type { FileSystem } from '#kernel/ports/file-system';
import type { LogSink } from './log-sink.ts';

/** A file that rows are added to. JSON lines of the platform are kept whole, so that `audit verify --file` verifies them. */
export async function openFileSink(fs: FileSystem, file: string): Promise<LogSink> {
  await removeTornLine(fs, file);
  return { write: ({ text }) => fs.append(file, text, { mode: 0o600, isDurable: true }) };
}

/** What a killed run has left behind the last whole line was never confirmed, and comes again. */
async function removeTornLine(fs: FileSystem, file: string): Promise<void> {
  if (!(await fs.exists(file))) return;
  let bytes = 0;
  let last = '';
  for await (const line of fs.readLines(file)) {
    last = line;
    bytes += Buffer.byteLength(line);
  }
  if (last !== '' && !last.endsWith('\n')) await fs.truncate(file, bytes - Buffer.byteLength(last));
}
