import { hash } from 'node:crypto';
import path from 'node:path';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import { missingOfVerified } from '#contracts/audit/cosignature';
import type { Verdict } from '#contracts/audit/verdict';
import { verifyExport, verifyPlatformLog } from '#contracts/audit/verify-export';
import { isSegmentStart, verifySegment } from '#contracts/audit/verify-segment';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogAccess, type LogInput } from './connect-to-audit-log.ts';
import { readExport } from './read-export.ts';
import { broken, fileMissing, readAnchors, readCosigner, readKey, unverifiable } from './verdict-errors.ts';

export interface VerifyInput extends LogInput {
  /** An export on the disk, in place of the log of the platform. */
  readonly file?: string | undefined;
  /** Public keys, or files with one. */
  readonly keys: readonly string[];
  /** Files with checkpoints that were kept elsewhere. */
  readonly anchors: readonly string[];
  /** Public keys of machines that must have signed the log lately, or files with one. */
  readonly witnesses: readonly string[];
}

/**
 * Verify a log: as the platform exports it now, or an export on the disk, offline. A project keeps the last verified checkpoint of each log in
 * `.vendor-cloud/audit`, so that the next run sees when a log was replaced.
 *
 * @throws `AUDIT_LOG_BROKEN`, `AUDIT_LOG_UNVERIFIABLE`.
 */
export async function verifyLog(context: FlowContext, input: VerifyInput): Promise<Verdict> {
  const given = await Promise.all(input.keys.map((key) => readKey(context, key)));
  const anchors = (await Promise.all(input.anchors.map((file) => readAnchors(context, file)))).flat();
  const witnesses = await Promise.all(input.witnesses.map((key) => readCosigner(context, key)));
  const verified = await context.reporter.step('Verifying the log', () =>
    input.file === undefined
      ? verifyOnPlatform(context, input, given, anchors)
      : verifyFile(context, input.file, given, anchors),
  );
  const { verdict } = verified;
  if (verdict.outcome === 'broken') throw broken(verdict);
  const unsigned = missingOfVerified(verdict, verified, witnesses, context.clock.now());
  if (unsigned.length > 0) throw unverifiable({ ...verdict, missing: [...verdict.missing, ...unsigned] });
  if (verdict.outcome === 'unverifiable') throw unverifiable(verdict);
  return verdict;
}

/** What was verified, and the notes in which other machines may have signed the log. */
interface Verified {
  readonly verdict: Verdict;
  readonly notes: readonly string[];
  /** Whether it is the file of a segment. */
  readonly isSegment?: boolean;
}

/** An export of a log, or one of its segments. */
async function verifyFile(
  context: FlowContext,
  file: string,
  keys: readonly CheckpointKey[],
  anchors: readonly string[],
): Promise<Verified> {
  const place = path.resolve(context.workingFolder, file);
  if (!(await context.fs.exists(place))) throw fileMissing(file, '--file');
  const isSegment = await isSegmentFile(context.fs.readLines(place));
  const lines = withoutEnds(context.fs.readLines(place));
  const verdict = await (isSegment ? verifySegment : verifyExport)(lines, { keys, anchors });
  return { verdict, notes: anchors, isSegment };
}

async function isSegmentFile(parts: AsyncIterable<readonly string[]>): Promise<boolean> {
  for await (const [line] of parts) if (line !== undefined) return isSegmentStart(line);
  return false;
}

async function* withoutEnds(parts: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  for await (const lines of parts) yield lines.map((line) => (line.endsWith('\n') ? line.slice(0, -1) : line));
}

async function verifyOnPlatform(
  context: FlowContext,
  input: VerifyInput,
  given: readonly CheckpointKey[],
  anchors: readonly string[],
): Promise<Verified> {
  const access = await connectToLog(context, input);
  const integrity = await access.client.integrity(access.log.project);
  const environment = access.log.environment ?? null;
  const kind = input.isAdmin ? 'admin' : 'activity';
  const chain = integrity.chains.find((each) => each.environment === environment && each.kind === kind);
  const place = keptPlace(access, input);
  const kept =
    (await context.fs.readText(place)) ?? (chain ? await context.fs.readText(formerPlace(input, chain.chain)) : null);
  const notes = chain && input.witnesses.length > 0 ? await cosignedNotes(access, chain.chain) : [];
  const lines = linesOf(readExport(access, {}, undefined));
  const known = [...anchors, ...notes];
  const verdict = await verifyPlatformLog(lines, {
    ...{ integrity, kind, environment },
    ...{ keys: given, anchors: known, kept: kept ?? undefined },
  });
  const isProved = verdict.outcome === 'holds' || verdict.outcome === 'restored';
  if (isProved && verdict.checkpoint !== null) {
    await context.fs.writeAtomically(place, verdict.checkpoint, { mode: 0o600 });
  }
  return { verdict, notes: known };
}

async function cosignedNotes({ client, log }: LogAccess, chain: string): Promise<readonly string[]> {
  const { segments } = await client.segments(log.project, chain);
  const { cosigned: ofRegister } = await client.register(log.project, 0);
  return [...segments.flatMap(({ cosigned }) => cosigned), ...ofRegister];
}

/** By platform, project and environment, so that a log that another one has replaced is noticed. The digest tells names apart that a disk does not. */
function keptPlace({ url, log }: LogAccess, { folder }: VerifyInput): string {
  const { project, environment } = log;
  const digest = hash('sha256', canonicalJson([project, environment ?? null])).slice(0, 16);
  const name = environment === undefined ? 'admin' : `environment-${environment.replaceAll(/[^A-Za-z0-9]/g, '-')}`;
  const platform = new URL(url).host.replaceAll(/[^A-Za-z0-9.]/g, '-');
  return path.join(folder, '.vendor-cloud', 'audit', platform, `${name}-${digest}.checkpoint`);
}

/** Version 0.1.0 kept it by the id of the log. */
function formerPlace({ folder }: VerifyInput, chain: string): string {
  return path.join(folder, '.vendor-cloud', 'audit', `${chain}.checkpoint`);
}

async function* linesOf(parts: AsyncIterable<{ readonly text: string }>): AsyncGenerator<readonly string[]> {
  for await (const { text } of parts) yield text.split('\n');
}
