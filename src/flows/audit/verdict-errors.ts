import path from 'node:path';
import { type CheckpointKey, isVerifier } from '#contracts/audit/checkpoint';
import { isCosigner } from '#contracts/audit/cosignature';
import { readNotes } from '#contracts/audit/segment';
import type { Problem, Verdict } from '#contracts/audit/verdict';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** The checkpoints in a file. Throws `USAGE_INVALID` for a file without any. */
export async function readAnchors(context: FlowContext, file: string): Promise<readonly string[]> {
  const text = await context.fs.readText(path.resolve(context.workingFolder, file));
  if (text === null) throw fileMissing(file, '--anchor');
  const notes = readNotes(text);
  if (notes) return notes;
  throw cloudError(
    'USAGE_INVALID',
    `${file} holds no checkpoints.`,
    'Name a file of checkpoints that the platform has written, or that `audit verify` has kept.',
  );
}

/** A public key of a platform, or of a file with one. Throws `USAGE_INVALID`. */
export async function readKey(context: FlowContext, key: string): Promise<CheckpointKey> {
  const text = isVerifier(key) ? key : await context.fs.readText(path.resolve(context.workingFolder, key));
  if (text !== null && isVerifier(text)) return { verifier: text.trim() };
  throw cloudError(
    'USAGE_INVALID',
    `"${key}" is neither a public key of a platform nor a file with one.`,
    'Give a key that begins with "vendor-cloud.audit+", as `audit verify --json` or the platform shows it.',
  );
}

/** The public key of a machine that cosigns, or of a file with one. Throws `USAGE_INVALID`. */
export async function readCosigner(context: FlowContext, key: string): Promise<string> {
  const text = isCosigner(key) ? key : await context.fs.readText(path.resolve(context.workingFolder, key));
  if (text !== null && isCosigner(text)) return text.trim();
  throw cloudError(
    'USAGE_INVALID',
    `"${key}" is neither the public key of a machine that cosigns nor a file with one.`,
    'Give the key that `audit cosign` shows on that machine.',
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

export function broken({ problem, rows, earlier }: Pick<Verdict, 'problem' | 'rows' | 'earlier'>): CloudError {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    problem?.message ?? 'The log was changed.',
    [
      'Keep the log and its store as they are, and find out who could write to the store.',
      'Compare with exports and checkpoints that are kept elsewhere.',
      ...(earlier ? ['Run the command without --state, which looks at every row again.'] : []),
    ],
    { safeDetails: { problem, verifiedRows: rows } },
  );
}

const wholeExport = 'Give the public key of the platform with --key, and a whole export without filters.';

export function unverifiable({ missing, rows }: Pick<Verdict, 'missing' | 'rows'>, nextStep = wholeExport): CloudError {
  return cloudError(
    'AUDIT_LOG_UNVERIFIABLE',
    `Nothing is wrong with the ${rows} rows, but they prove nothing: ${missing.join(' ')}`,
    nextStep,
    { safeDetails: { missing, rows } },
  );
}

export function archiveBroken(problem: Problem): CloudError {
  return cloudError(
    'AUDIT_ARCHIVE_BROKEN',
    problem.message,
    [
      'Find out who could write to the archive, and keep a copy of it as it is.',
      'Put the file back from an earlier copy, then run `audit verify --archive`: it looks at every file.',
      'A month whose rows are still in the store is made again by `audit archive`, once its files are moved away.',
    ],
    { safeDetails: { problem } },
  );
}
