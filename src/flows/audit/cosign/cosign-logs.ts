import path from 'node:path';
import { type CheckpointKey, isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { cosignedAt, cosignerNameForm } from '#contracts/audit/cosignature';
import { readNotes, readSegment } from '#contracts/audit/segment';
import { type CosignerKey, cosign, cosignerKeyOf, cosignerOf } from '#contracts/audit/signing';
import { BrokenLog, type Problem } from '#contracts/audit/verdict';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { layeredEnv } from '#kernel/ports/env';
import { type AuditClient, createAuditClient } from '#platform-client/audit-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../../flow-context.ts';
import { platformUrlOf, tokenForPlatform, tokenOf } from '../../platform-access/connect-to-platform.ts';
import { readKey } from '../verdict-errors.ts';
import { continuedNotes, continuedRegister } from './check-continued.ts';

export interface CosignInput {
  readonly folder: string;
  /** File with everything that this machine has signed. */
  readonly state: string;
  /** File with the key of this machine, made where it is missing. */
  readonly key: string;
  /** What a new key is called. */
  readonly name: string;
  /** Public keys of the platform, or files with one. Without any, those that the platform names are believed. */
  readonly platformKeys: readonly string[];
}

interface CosignedLog {
  readonly chain: string;
  /** `null` for the changes of the configuration. */
  readonly environment: string | null;
  /** The newest month. */
  readonly month: string;
  /** The last row that is signed. */
  readonly last: number;
  /** Whether this machine has signed nothing of the log before. */
  readonly isNew: boolean;
}

export interface Cosigned {
  /** The public key of this machine. */
  readonly cosigner: string;
  readonly state: string;
  readonly logs: readonly CosignedLog[];
  /** How many rows of the register of the logs are signed; `null` on a platform without a log. */
  readonly registerSize: number | null;
}

/**
 * Sign the newest segments of all logs of a project, and the register of the logs, on another machine than the platform. Each must go on from
 * what the machine signed before. What it signs is in its own file first, then the platform gets it.
 *
 * @throws `AUDIT_LOG_BROKEN` where a log or the register is missing, shorter, or another one. The others are signed all the same.
 */
export async function cosignLogs(context: FlowContext, input: CosignInput): Promise<Cosigned> {
  const [state, keyFile] = [input.state, input.key].map((file) => path.resolve(context.workingFolder, file));
  if (state === undefined || keyFile === undefined) throw new TypeError('Two paths became others.');
  const key = await cosignerKey(context, keyFile, input.name);
  const given = await Promise.all(input.platformKeys.map((each) => readKey(context, each)));
  const client = await connect(context, input.folder);
  const { project } = await client.caller();
  const integrity = await client.integrity(project);
  const keys = given.length > 0 ? given : integrity.keys.map((verifier) => ({ verifier }));
  const kept = await readState(context, state, cosignerOf(key));
  const refusals: Problem[] = refusalsOf(kept, keys, new Set(integrity.chains.map(({ chain }) => chain)));
  const made: { readonly note: string; readonly log?: CosignedLog }[] = [];
  const register = await tried(refusals, () => registerNote({ client, project, keys }, kept, integrity.chains.length));
  if (register !== undefined) made.push({ note: cosign(register, key, Math.floor(context.clock.now() / 1000)) });
  for (const { chain, environment } of refusals.length > 0 ? [] : integrity.chains) {
    const before = newestOf(kept, chain);
    const notes = await tried(refusals, () => continuedNotes({ client, project, chain, keys }, before));
    made.push(...signed(context, key, notes ?? [], { chain, environment, isNew: before === undefined }));
  }
  // First here: a signature that is given away and forgotten would let the log be replaced.
  await writeNotes(
    context,
    state,
    kept,
    made.map(({ note }) => note),
  );
  for (const { note } of made) await client.addCosignature(project, note, cosignerOf(key));
  const [refusal] = refusals;
  if (refusal) throw refused(refusal);
  const newest = new Map(made.flatMap(({ log }) => (log ? [[log.chain, log] as const] : [])));
  const registerSize = register === undefined ? null : (readCheckpoint(register)?.size ?? null);
  return { cosigner: cosignerOf(key), state, logs: [...newest.values()], registerSize };
}

/** What is wrong with one log must not keep the others from being signed. */
async function tried<Result>(refusals: Problem[], work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    refusals.push(error.problem);
    return undefined;
  }
}

/** `undefined` on a platform that has no log yet, and never had one. */
async function registerNote(
  platform: Parameters<typeof continuedRegister>[0],
  kept: readonly string[],
  logs: number,
): Promise<string | undefined> {
  const before = kept.flatMap((note) => readCheckpoint(note) ?? []).at(-1);
  return before || logs > 0 ? continuedRegister(platform, before) : undefined;
}

/** The machine may have no project. */
async function connect(context: FlowContext, folder: string): Promise<AuditClient> {
  const project = await openProject(context.fs, folder, context.variables).catch((error: unknown) => {
    if (isCloudError(error) && error.code === 'PROJECT_NOT_FOUND') return undefined;
    throw error;
  });
  const { url, userToken } = project ? await tokenForPlatform(context, project) : await tokenWithoutProject(context);
  return createAuditClient({ serverUrl: url, http: context.http, credentials: { userToken } });
}

async function tokenWithoutProject(
  context: FlowContext,
): Promise<{ readonly url: string; readonly userToken: string }> {
  const env = layeredEnv(context.variables);
  const url = platformUrlOf({ env }, undefined);
  return { url, userToken: await tokenOf(context, { url, env, session: undefined }) };
}

/** Why nothing can be signed: a log is gone, or the platform has another key. */
function refusalsOf(notes: readonly string[], keys: readonly CheckpointKey[], chains: ReadonlySet<string>): Problem[] {
  for (const note of notes) {
    const { chain, first = 0 } = readSegment(note) ?? {};
    if (chain !== undefined && !chains.has(chain)) {
      return [{ kind: 'register', sequence: first, message: `The log ${chain}, which was signed here, is missing.` }];
    }
    if (!isSignedBy(note, keys)) {
      return [{ kind: 'signature', sequence: first, message: 'The platform signs with another key than before.' }];
    }
  }
  return [];
}

function signed(
  { clock }: FlowContext,
  key: CosignerKey,
  notes: readonly string[],
  log: Pick<CosignedLog, 'chain' | 'environment' | 'isNew'>,
) {
  return notes.flatMap((note) => {
    const segment = readSegment(note);
    if (!segment) return [];
    const { month, last } = segment;
    return [{ note: cosign(note, key, Math.floor(clock.now() / 1000)), log: { ...log, month, last } }];
  });
}

function newestOf(notes: readonly string[], chain: string) {
  return notes
    .flatMap((note) => readSegment(note) ?? [])
    .filter((segment) => segment.chain === chain)
    .sort((one, other) => one.last - other.last)
    .at(-1);
}

async function readState(context: FlowContext, file: string, cosigner: string): Promise<readonly string[]> {
  const text = await context.fs.readText(file);
  if (text === null || text.trim() === '') return [];
  const notes = readNotes(text);
  if (notes?.every((note) => cosignedAt(note, cosigner) !== undefined)) return notes;
  throw cloudError(
    'COSIGNER_STATE_INVALID',
    `${file} is not what this machine has signed: it was cut off, somebody changed it, or another key signed it.`,
    'Put a copy of it back. Without it, nobody notices a log that was replaced since.',
  );
}

/** The newest note of each log and month, and of the register. */
async function writeNotes(
  context: FlowContext,
  file: string,
  kept: readonly string[],
  added: readonly string[],
): Promise<void> {
  if (added.length === 0) return;
  const byMonth = new Map([...kept, ...added].map((note) => [note.slice(0, note.indexOf('\n')), note]));
  await context.fs.writeAtomically(file, [...byMonth.values()].join('\n'), { mode: 0o600 });
}

function refused(problem: Problem) {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    `This machine does not sign: ${problem.message}`,
    [
      'Keep the state file, the log and its store as they are, and find out who could write to the store.',
      'After a restore of a backup that you know of, begin again with another state file.',
    ],
    { safeDetails: { problem } },
  );
}

/**
 * The key of this machine, made where there is no file yet: one line, `PRIVATE+KEY+<name>+<seed in hexadecimal>`, which only its owner can
 * read.
 *
 * @param name What the key is called; it counts when the key is made.
 */
async function cosignerKey(context: FlowContext, file: string, name: string): Promise<CosignerKey> {
  if (!cosignerNameForm.test(name)) {
    throw cloudError('USAGE_INVALID', `"${name}" is not a name of a key.`, 'Use letters, digits and . _ / - only.');
  }
  const line = `PRIVATE+KEY+${name}+${context.random.hex(32)}\n`;
  if (await context.fs.createExclusively(file, line, { mode: 0o600 })) return keyIn(line, file);
  return keyIn((await context.fs.readText(file)) ?? '', file);
}

function keyIn(text: string, file: string): CosignerKey {
  const [, name = '', seed = ''] = /^PRIVATE\+KEY\+([^+\s]+)\+([0-9a-f]{64})\n?$/.exec(text) ?? [];
  if (!cosignerNameForm.test(name)) throw noKey(file);
  return cosignerKeyOf(name, seed);
}

function noKey(file: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${file} holds no key of a cosigner.`,
    'Name another file with --key, or put a copy back.',
  );
}
