import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type BackupHeader, backupFormat } from '#contracts/backup';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { isAbsent, unwritable } from '#node/files/file-errors';
import type { StoreAddress } from '../store/open-store.ts';
import { type Progress, reportEvery } from './progress.ts';
import { readStore, type StoreSnapshot } from './read-store.ts';
import { rowLine, TableDigest } from './row-line.ts';

export interface BackupInput {
  readonly store: StoreAddress;
  /** Path of the file. */
  readonly file: string;
  readonly madeAt: string;
  /** Version of vendor-cloud. */
  readonly madeBy: string;
  readonly progress: Progress;
}

export interface Backup {
  readonly tables: number;
  readonly rows: number;
}

const chunkLength = 64 * 1024;
const gzipStart = Buffer.from([0x1f, 0x8b]);

/**
 * Write everything in a store into one file, as it is at one instant, also while a platform uses it. The file is there when
 * it is complete, for its owner only; an older backup is replaced then, and no other file.
 *
 * @throws `PLATFORM_STORE_UNAVAILABLE`, `MACHINE_FILE_NOT_WRITABLE`
 */
export async function writeBackup({ store, file, progress, ...made }: BackupInput): Promise<Backup> {
  await checkPlace(file);
  const unfinished = `${file}.unfinished`;
  return readStore(store, { isAlone: false }, async (snapshot) => {
    const written = { tables: 0, rows: 0 };
    const lines = backupLines(snapshot, made, written, progress);
    try {
      await mkdir(path.dirname(file), { recursive: true });
      await rm(unfinished, { force: true });
      const target = createWriteStream(unfinished, { flags: 'wx', mode: 0o600, flush: true });
      await pipeline(Readable.from(inChunks(lines)), createGzip({ level: 4 }), target);
      await rename(unfinished, file);
      return written;
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error instanceof Error && 'syscall' in error ? unwritable(file, error) : error;
    }
  });
}

async function checkPlace(file: string): Promise<void> {
  try {
    const found = await lstat(file);
    if (!found.isFile()) throw irreplaceable(file, 'a folder, a device or a link');
    if (found.size > 0 && !(await isCompressed(file))) throw irreplaceable(file, 'a file of another kind');
  } catch (error) {
    if (isAbsent(error)) return;
    throw isCloudError(error) ? error : unwritable(file, error);
  }
}

/** A backup begins as every file of gzip does. The store itself does not. */
async function isCompressed(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.equals(gzipStart);
  } finally {
    await handle.close();
  }
}

function irreplaceable(file: string, kind: string): CloudError {
  return cloudError(
    'MACHINE_FILE_NOT_WRITABLE',
    `${file} is ${kind}. A backup replaces only an older backup.`,
    'Name another file: --to /var/backups/platform-2026-11-23.backup.',
  );
}

/** Joins lines, because a stream takes about as long for each of its chunks as a row takes. */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const line of lines) {
    chunk += line;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function* backupLines(
  snapshot: StoreSnapshot,
  made: Pick<BackupInput, 'madeAt' | 'madeBy'>,
  written: { tables: number; rows: number },
  progress: Progress,
): AsyncGenerator<string> {
  const all = createHash('sha256');
  const line = (value: unknown) => counted(JSON.stringify(value));
  const counted = (text: string) => {
    all.update(text).update('\n');
    return `${text}\n`;
  };
  const { engine, version: storeVersion } = snapshot;
  yield line({ format: backupFormat, formatVersion: 1, storeVersion, engine, ...made } satisfies BackupHeader);
  for (const table of snapshot.tables) {
    yield line({ table: table.name, columns: table.columns });
    const digest = new TableDigest();
    for await (const rows of snapshot.rows(table)) {
      for (const row of rows) {
        const text = rowLine(row);
        digest.add(text);
        yield counted(text);
        if (digest.rows % reportEvery === 0) progress(table.name, digest.rows, false);
      }
    }
    yield line(digest.end(table.name));
    progress(table.name, digest.rows, true);
    written.tables++;
    written.rows += digest.rows;
  }
  yield `${JSON.stringify({ end: 'backup', ...written, sha256: all.digest('hex') })}\n`;
}
