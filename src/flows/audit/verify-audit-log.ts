import { hash } from 'node:crypto';
import path from 'node:path';
import { type CheckpointKey, isVerifier } from '#contracts/audit/checkpoint';
import type { Verdict } from '#contracts/audit/verdict';
import { verifyExport } from '#contracts/audit/verify-export';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogAccess, type LogInput } from './connect-to-audit-log.ts';
import { readExport } from './read-export.ts';
import { broken, fileMissing, readAnchors, unverifiable } from './verdict-errors.ts';

export interface VerifyInput extends LogInput {
  /** An export on the disk, in place of the log of the platform. */
  readonly file?: string | undefined;
  /** Public keys, or files with one. */
  readonly keys: readonly string[];
  /** Files with checkpoints that were kept elsewhere. */
  readonly anchors: readonly string[];
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
  const verdict = await context.reporter.step('Verifying the log', () =>
    input.file === undefined
      ? verifyOnPlatform(context, input, given, anchors)
      : verifyFile(context, input.file, given, anchors),
  );
  if (verdict.outcome === 'broken') throw broken(verdict);
  if (verdict.outcome === 'unverifiable') throw unverifiable(verdict);
  return verdict;
}

async function verifyFile(
  context: FlowContext,
  file: string,
  keys: readonly CheckpointKey[],
  anchors: readonly string[],
): Promise<Verdict> {
  const place = path.resolve(context.workingFolder, file);
  if (!(await context.fs.exists(place))) throw fileMissing(file, '--file');
  return verifyExport(withoutEnds(context.fs.readLines(place)), { keys, anchors });
}

async function* withoutEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith('\n') ? line.slice(0, -1) : line;
}

async function verifyOnPlatform(
  context: FlowContext,
  input: VerifyInput,
  given: readonly CheckpointKey[],
  anchors: readonly string[],
): Promise<Verdict> {
  const access = await connectToLog(context, input);
  const { keys, chains } = await access.client.integrity(access.log.project);
  // What the platform says of itself is worth no more than the connection to it.
  const trusted = given.length > 0 ? given : keys.map((verifier) => ({ verifier }));
  const environment = access.log.environment ?? null;
  const chain = chains.find((each) => each.environment === environment && (each.kind === 'admin') === input.isAdmin);
  const place = keptPlace(access, input);
  const kept =
    (await context.fs.readText(place)) ?? (chain ? await context.fs.readText(formerPlace(input, chain.chain)) : null);
  if (!chain && kept === null && anchors.length === 0) return emptyLog;
  const lines = linesOf(readExport(access, {}, undefined));
  const verdict = await verifyExport(lines, { keys: trusted, anchors, kept: kept ?? undefined, environment });
  const isProved = verdict.outcome === 'holds' || verdict.outcome === 'restored';
  if (isProved && verdict.checkpoint !== null) {
    await context.fs.writeAtomically(place, verdict.checkpoint, { mode: 0o600 });
  }
  return verdict;
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

const emptyLog: Verdict = {
  outcome: 'holds',
  chain: null,
  rows: 0,
  first: null,
  last: null,
  problem: null,
  missing: [],
  checkpoint: null,
};

async function* linesOf(parts: AsyncIterable<{ readonly text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) yield* text.split('\n');
}

async function readKey(context: FlowContext, key: string): Promise<CheckpointKey> {
  const text = isVerifier(key) ? key : await context.fs.readText(path.resolve(context.workingFolder, key));
  if (text !== null && isVerifier(text)) return { verifier: text.trim() };
  throw cloudError(
    'USAGE_INVALID',
    `"${key}" is neither a public key of a platform nor a file with one.`,
    'Give a key that begins with "vendor-cloud.audit+", as `audit verify --json` or the platform shows it.',
  );
}
