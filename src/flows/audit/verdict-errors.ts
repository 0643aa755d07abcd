import path from 'node:path';
import { readCheckpoint } from '#contracts/audit/checkpoint';
import type { Verdict } from '#contracts/audit/verdict';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** The checkpoints in a file. Throws `USAGE_INVALID` for a file without any. */
export async function readAnchors(context: FlowContext, file: string): Promise<readonly string[]> {
  const text = await context.fs.readText(path.resolve(context.workingFolder, file));
  if (text === null) throw fileMissing(file, '--anchor');
  const notes = text.split(/\n\n(?=vendor-cloud\.audit\/)/).map((note) => `${note.trim()}\n`);
  if (notes.every((note) => readCheckpoint(note))) return notes;
  throw cloudError(
    'USAGE_INVALID',
    `${file} holds no checkpoints.`,
    'Name a file of checkpoints that the platform has written, or that `audit verify` has kept.',
  );
}

/** @param flag The one that names the file. */
export function fileMissing(file: string, flag: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The file ${file} does not exist.`,
    `Correct the path after ${flag}; it counts from the folder that you are in.`,
  );
}

export function broken({ problem, rows }: Verdict): CloudError {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    problem?.message ?? 'The log was changed.',
    [
      'Keep the log and its store as they are, and find out who could write to the store.',
      'Compare with exports and checkpoints that are kept elsewhere.',
    ],
    { safeDetails: { problem, verifiedRows: rows } },
  );
}

export function unverifiable({ missing, rows }: Verdict): CloudError {
  return cloudError(
    'AUDIT_LOG_UNVERIFIABLE',
    `Nothing is wrong with the ${rows} rows, but they prove nothing: ${missing.join(' ')}`,
    'Give the public key of the platform with --key, and a whole export without filters.',
    { safeDetails: { missing, rows } },
  );
}
