import { hash } from 'node:crypto';
import path from 'node:path';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import { missingOfVerified } from '#contracts/audit/cosignature';
import { readAnchor } from '#contracts/audit/segment';
import { emptyLog, type Verdict } from '#contracts/audit/verdict';
import {
  ExportVerification,
  hasNothing,
  optionsOf,
  type PlatformLog,
  type VerifyOptions,
} from '#contracts/audit/verify-export';
import { firstRowOf, isSegmentStart, verifySegment } from '#contracts/audit/verify-segment';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { TellProgress } from '#kernel/ports/reporter';
import { type LogText, type ReadText, readInThreads } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogAccess, type LogInput } from './connect-to-audit-log.ts';
import { readExport } from './read-export.ts';
import { broken, fileMissing, readAnchors, readCosigner, readKey, unverifiable } from './verdict-errors.ts';
import { type ExportPlace, VerificationState } from './verification-state.ts';

export interface VerifyInput extends LogInput {
  /** An export on the disk, in place of the log of the platform. */
  readonly file?: string | undefined;
  /** A file that remembers how far the log was verified. The next run goes on there. */
  readonly state?: string | undefined;
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
  const keys = await Promise.all(input.keys.map((key) => readKey(context, key)));
  const anchors = (await Promise.all(input.anchors.map((file) => readAnchors(context, file)))).flat();
  const witnesses = await Promise.all(input.witnesses.map((key) => readCosigner(context, key)));
  const state = input.state === undefined ? undefined : await VerificationState.open(context, input.state);
  const verified = await context.reporter.step('Verifying the log', (tell) => {
    const run = { context, keys, anchors, state, tell };
    return input.file === undefined ? verifyOnPlatform(run, input) : verifyFile(run, input.file);
  });
  const { verdict } = verified;
  if (verdict.outcome === 'broken') throw broken(verdict);
  const unsigned = missingOfVerified(verdict, verified, witnesses, context.clock.now());
  if (unsigned.length > 0) throw unverifiable({ ...verdict, missing: [...verdict.missing, ...unsigned] });
  if (verdict.outcome === 'unverifiable') throw unverifiable(verdict);
  return verdict;
}

interface Run {
  readonly context: FlowContext;
  readonly keys: readonly CheckpointKey[];
  readonly anchors: readonly string[];
  readonly state: VerificationState | undefined;
  readonly tell: TellProgress;
}

/** What was verified, and the notes in which other machines may have signed the log. */
interface Verified {
  readonly verdict: Verdict;
  readonly notes: readonly string[];
  /** Whether it is the file of a segment. */
  readonly isSegment?: boolean;
}

/** An export of a log, or one of its segments. */
async function verifyFile({ context, keys, anchors, state, tell }: Run, file: string): Promise<Verified> {
  const place = path.resolve(context.workingFolder, file);
  if (!(await context.fs.exists(place))) throw fileMissing(file, '--file');
  const first = await firstLineOf(context.fs.readLines(place));
  if (isSegmentStart(first)) {
    if (state) throw noStateOfSegment(file);
    const limits = { ends: endsOf(anchors), segmentFirst: firstRowOf(first) };
    const read = readInThreads(textsIn(context.fs.readLines(place), 0), limits);
    return { verdict: await verifySegment(linesOf(read), { keys, anchors }), notes: anchors, isSegment: true };
  }
  state?.requireSame('bytes', undefined, keys);
  const texts = textsIn(context.fs.readLines(place), Number(state?.place ?? 0));
  const verdict = await verifyTexts(texts, { keys, anchors, before: state?.part }, { state, tell });
  return { verdict, notes: anchors };
}

async function verifyTexts(
  texts: AsyncIterable<LogText<ExportPlace>>,
  options: VerifyOptions,
  { state, tell }: Pick<Run, 'state' | 'tell'>,
): Promise<Verdict> {
  const verification = new ExportVerification(options);
  const notes = [...(options.anchors ?? []), ...(options.kept === undefined ? [] : [options.kept])];
  let kept: ExportPlace | undefined;
  for await (const { lines, place } of readInThreads(texts, { ends: endsOf(notes) })) {
    if (!verification.take(lines)) break;
    tell(`${verification.rows.toLocaleString('en')} rows`);
    if (place === undefined) continue;
    kept = place;
    await state?.keep(verification, place, false);
  }
  const verdict = verification.verdict();
  if (kept !== undefined) await state?.keep(verification, kept, true);
  return verdict;
}

/** The rows that somebody has signed: their hashes are compared. */
function endsOf(notes: readonly string[]): ReadonlySet<number> {
  return new Set(notes.flatMap((note) => readAnchor(note)?.size ?? []));
}

async function firstLineOf(parts: AsyncIterable<readonly string[]>): Promise<string> {
  for await (const [line] of parts) if (line !== undefined) return line.trimEnd();
  return '';
}

/** This many characters are verified together. */
const textLength = 1024 * 1024;

/** The lines of a file behind its first `bytes`. Throws `USAGE_INVALID` where no line begins there. */
async function* textsIn(parts: AsyncIterable<readonly string[]>, bytes: number): AsyncGenerator<LogText<ExportPlace>> {
  let text = '';
  let place = 0;
  for await (const lines of parts) {
    for (const line of lines) {
      if (place >= bytes) text += line;
      place += Buffer.byteLength(line);
    }
    if (place > bytes && text === '') throw notThatFile();
    if (text.length < textLength) continue;
    yield { text, place };
    text = '';
  }
  if (place < bytes) throw notThatFile();
  if (text !== '') yield { text, place };
}

async function* linesOf(parts: AsyncIterable<ReadText<ExportPlace>>): AsyncGenerator<ReadText<ExportPlace>['lines']> {
  for await (const { lines } of parts) yield lines;
}

async function verifyOnPlatform(run: Run, input: VerifyInput): Promise<Verified> {
  const { context, state } = run;
  const access = await connectToLog(context, input);
  const integrity = await access.client.integrity(access.log.project);
  const environment = access.log.environment ?? null;
  const kind = input.isAdmin ? 'admin' : 'activity';
  const chain = integrity.chains.find((each) => each.environment === environment && each.kind === kind);
  const place = keptPlace(access, input);
  const kept =
    (await context.fs.readText(place)) ?? (chain ? await context.fs.readText(formerPlace(input, chain.chain)) : null);
  const notes = chain && input.witnesses.length > 0 ? await cosignedNotes(access, chain.chain) : [];
  const known = [...run.anchors, ...notes];
  const log: PlatformLog = {
    ...{ integrity, kind, environment, keys: run.keys },
    ...{ anchors: known, kept: kept ?? undefined, before: state?.part },
  };
  const options = optionsOf(log);
  state?.requireSame('cursor', chain?.chain, options.keys);
  const verdict = hasNothing(log) ? emptyLog : await verifyTexts(textsOf(access, state?.place), options, run);
  const isProved = verdict.outcome === 'holds' || verdict.outcome === 'restored';
  if (isProved && verdict.checkpoint !== null) {
    await context.fs.writeAtomically(place, verdict.checkpoint, { mode: 0o600 });
  }
  return { verdict, notes: known };
}

/** The log of the platform behind a cursor. */
async function* textsOf(access: LogAccess, after: ExportPlace | undefined): AsyncGenerator<LogText<ExportPlace>> {
  for await (const { text, cursor } of readExport(access, {}, after?.toString())) yield { text, place: cursor };
}

function notThatFile() {
  return cloudError('USAGE_INVALID', 'The file is another one than the state remembers: no line begins there.', [
    'Name the file that the earlier run has verified, or another state.',
    'Run the command without --state to verify the file from its first row.',
  ]);
}

function noStateOfSegment(file: string) {
  return cloudError(
    'USAGE_INVALID',
    `${file} is a segment, and a segment is verified as a whole.`,
    'Leave out --state.',
  );
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
