import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type BackupHeader, backupEndSchema, backupHeaderSchema } from '#contracts/backup';
import { maxBundleBytes } from '#contracts/versions';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { unreadable } from '#node/files/file-errors';

/** The longest row is that of a bundle, in base64. */
const maxLineBytes = 2 * maxBundleBytes;

/** What is between the first and the last line of a backup, line by line. */
export type ReadBackup = (header: BackupHeader, lines: AsyncIterable<string>) => Promise<void>;

/**
 * Read a backup. `read` is called once the header is known, and must read all lines. It must undo what it did when this
 * rejects, because only the last line shows whether the file is complete.
 *
 * @throws `PLATFORM_BACKUP_INVALID`, `MACHINE_FILE_NOT_READABLE`
 */
export async function readBackupLines(file: string, read: ReadBackup): Promise<void> {
  try {
    await pipeline(createReadStream(file), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      const lines = linesOf(chunks, file);
      const { value: first } = await lines.next();
      const header = backupHeaderSchema.safeParse(jsonOf(first));
      if (!header.success) throw invalid(file, 'it does not begin like a backup of this version');
      await read(header.data, checked(file, String(first), lines));
    });
  } catch (error) {
    if (isCloudError(error)) throw error;
    if (error instanceof Error && 'syscall' in error) throw unreadable(file, error);
    const isOfGzip = error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
    throw isOfGzip ? invalid(file, 'it is cut off, damaged or not compressed as a backup is', error) : error;
  }
}

export function invalid(file: string, why: string, cause?: unknown): CloudError {
  return cloudError(
    'PLATFORM_BACKUP_INVALID',
    `${file} is not a backup that can be restored: ${why}.`,
    'Use another backup, or copy this one again from where it was made.',
    { cause },
  );
}

/** The JSON of a line; `undefined` for what is not one. */
export function jsonOf(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '');
  } catch {
    return undefined;
  }
}

/** The lines up to the last one, which must tell their digest. */
async function* checked(file: string, first: string, lines: AsyncIterable<string>): AsyncGenerator<string> {
  const hash = createHash('sha256').update(first).update('\n');
  let before: string | undefined;
  for await (const line of lines) {
    if (before !== undefined) {
      hash.update(before).update('\n');
      yield before;
    }
    before = line;
  }
  const end = backupEndSchema.safeParse(jsonOf(before));
  if (!end.success) throw invalid(file, 'its end is missing');
  if (end.data.sha256 !== hash.digest('hex')) throw invalid(file, 'it was changed after it was made');
}

/** Texts between line feeds; other line ends are parts of a text. */
async function* linesOf(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<string, undefined> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    bytes += rest.length;
    // A small file may unpack to one line without an end.
    if (bytes > maxLineBytes) throw invalid(file, `a line of it has more than ${maxLineBytes} bytes`);
    parts.push(rest);
  }
  if (parts.some((part) => part.length > 0)) yield Buffer.concat(parts).toString('utf8');
  return undefined;
}
