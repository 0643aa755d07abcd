import { type ArchiveVerdict, openArchive, verifyArchive } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { archiveBroken, readAnchors, readKey, unverifiable } from './verdict-errors.ts';

export interface VerifyArchivedInput {
  /** Address of the archive. */
  readonly archive: string;
  /** Public keys, or files with one. */
  readonly keys: readonly string[];
  /** Files with checkpoints that were kept elsewhere. */
  readonly anchors: readonly string[];
}

export interface VerifiedArchive extends Pick<ArchiveVerdict, 'outcome' | 'logs'> {
  readonly archive: string;
}

const wholeArchive = 'Give the public key of the platform with --key, and let `audit archive` run to its end.';

/**
 * Verify an archive without its platform.
 *
 * @throws `AUDIT_ARCHIVE_BROKEN`, `AUDIT_LOG_UNVERIFIABLE`.
 */
export async function verifyArchivedLogs(context: FlowContext, input: VerifyArchivedInput): Promise<VerifiedArchive> {
  const keys = await Promise.all(input.keys.map((key) => readKey(context, key)));
  const anchors = (await Promise.all(input.anchors.map((file) => readAnchors(context, file)))).flat();
  const objects = await openArchive(input.archive, context);
  const { workingFolder, variables } = context;
  const verdict = await context.reporter.step('Verifying the archive', (tell) => {
    const threads = { address: input.archive, surroundings: { workingFolder, variables }, onMonth: tell };
    return verifyArchive(objects, { keys, anchors }, threads);
  });
  const { outcome, logs, problem, missing } = verdict;
  if (problem) throw archiveBroken(problem);
  if (missing.length > 0)
    throw unverifiable({ missing, rows: logs.reduce((sum, { rows }) => sum + rows, 0) }, wholeArchive);
  return { archive: objects.name, outcome, logs };
}
