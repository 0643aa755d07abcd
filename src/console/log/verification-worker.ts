import * as z from 'zod';
import { isVerifier, readCheckpoint } from '#contracts/audit/checkpoint';
import { isCosigner, missingOfVerified } from '#contracts/audit/cosignature';
import { learnCosignatures, withLearnedSignatures } from '#contracts/audit/learned-signatures';
import { readNotes } from '#contracts/audit/segment';
import type { Verdict } from '#contracts/audit/verdict';
import { verifyPlatformLog } from '#contracts/audit/verify-export';
import type { Integrity } from '#contracts/public-api/integrity';
import type { RegisterPage, Segments } from '#contracts/public-api/segments';
import { RequestFailed, readJson, requireSuccess, sendOnce } from '../wire/http.ts';
import { logPath, projectPath } from './log-state.ts';
import type { Told, ToVerify } from './verification.ts';

/** Reads a log and verifies it beside the page, so that the page stays quick. One worker verifies one log. */

// The policy of the page lets no text become code.
z.config({ jitless: true });

/** Rows of a request. An export ends by itself after five minutes. */
const rowsPerPart = 100_000;
/** A page that learns about every line has no time for anything else. */
const tellEveryMs = 100;

addEventListener('message', ({ data }: MessageEvent<ToVerify>) => void answer(data));

function tell(told: Told): void {
  postMessage(told);
}

async function answer(asked: ToVerify): Promise<void> {
  try {
    tell(await verified(asked));
  } catch (error) {
    if (error instanceof RequestFailed) {
      const { message, nextSteps } = error;
      tell({ kind: 'failed', message: error.status === 0 ? null : message, nextSteps });
    } else if (await verifiesEd25519()) {
      tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error), nextSteps: [] });
    } else tell({ kind: 'unsupported' });
  }
}

/** Whether the browser verifies signatures. A page that came without TLS from another machine has no Web Crypto. */
async function verifiesEd25519(): Promise<boolean> {
  try {
    await crypto.subtle.importKey('raw', new Uint8Array(32), 'Ed25519', false, ['verify']);
    return true;
  } catch {
    return false;
  }
}

async function verified(asked: ToVerify): Promise<Told> {
  const { source, kept, checkpoints, keys: given, witnesses } = asked;
  if (!(await verifiesEd25519())) return { kind: 'unsupported' };
  const anchors = checkpoints === undefined ? [] : readNotes(checkpoints);
  if (!anchors) return { kind: 'noCheckpoints' };
  const wrong = given.find((text) => !isVerifier(text));
  if (wrong !== undefined) return { kind: 'noKey', text: wrong };
  const strange = witnesses.find((text) => !isCosigner(text));
  if (strange !== undefined) return { kind: 'noWitness', text: strange };
  const integrity = await integrityOf(source);
  const trusted = given.length > 0 ? given : integrity.keys;
  const notes = witnesses.length === 0 ? anchors : [...anchors, ...(await cosignedNotes(source, integrity))];
  await learnCosignatures(notes, witnesses);
  const options = { keys: trusted.map((verifier) => ({ verifier })), anchors: notes, kept };
  const found = await verifyPlatformLog(withLearnedSignatures(exported(source), options), {
    ...{ ...options, integrity, kind: source.kind },
    environment: environmentOf(source),
  });
  const verdict = found.outcome === 'broken' ? found : withWitnesses(found, notes, witnesses);
  const isProved = verdict.outcome === 'holds' || verdict.outcome === 'restored';
  const signed = verdict.checkpoint === null ? undefined : readCheckpoint(verdict.checkpoint);
  const toKeep =
    isProved && signed && verdict.checkpoint !== null ? { note: verdict.checkpoint, ...signed } : undefined;
  return { kind: 'verified', verdict, ...(toKeep ? { toKeep } : {}) };
}

function environmentOf(source: ToVerify['source']): string | null {
  return source.kind === 'admin' ? null : source.environment;
}

/** Nothing is proved to somebody who demands signatures that are not there. */
function withWitnesses(verdict: Verdict, notes: readonly string[], witnesses: readonly string[]): Verdict {
  const unsigned = missingOfVerified(verdict, { notes }, witnesses, Date.now());
  if (unsigned.length === 0) return verdict;
  return { ...verdict, outcome: 'unverifiable', missing: [...verdict.missing, ...unsigned] };
}

/** What other machines have signed of a log, and of the register. */
async function cosignedNotes(source: ToVerify['source'], { chains }: Integrity): Promise<readonly string[]> {
  const chain = chains.find(({ kind, environment }) => kind === source.kind && environment === environmentOf(source));
  if (!chain) return [];
  const place = `${projectPath(source.project)}/integrity`;
  const { segments } = await read<Segments>(`${place}/segments/${encodeURIComponent(chain.chain)}`);
  const register = await read<RegisterPage>(`${place}/register`);
  return [...segments.flatMap(({ cosigned }) => cosigned), ...register.cosigned];
}

function integrityOf({ project }: ToVerify['source']): Promise<Integrity> {
  return read(`${projectPath(project)}/integrity`);
}

async function read<Answer>(address: string): Promise<Answer> {
  return readJson<Answer>(await requireSuccess(await sendOnce(address, {})));
}

/** The log as lines, part by part, as they arrive. Where an answer breaks off, no last line comes, and whoever verifies says so. */
async function* exported(source: ToVerify['source']): AsyncGenerator<readonly string[]> {
  const progress = { rows: 0, of: 0, toldAt: 0 };
  let cursor: string | undefined;
  for (;;) {
    const place = cursor === undefined ? {} : { after: cursor };
    const parameters = new URLSearchParams({ format: 'ndjson', max: String(rowsPerPart), ...place });
    const response = await requireSuccess(await sendOnce(`${logPath(source)}/export?${parameters}`, {}));
    let last = '';
    for await (const lines of linesOf(response)) {
      last = lines.at(-1) ?? last;
      tellProgress(progress, lines);
      yield lines;
    }
    const end = endIn(last);
    if (!end?.hasMore || end.cursor === cursor) return;
    cursor = end.cursor;
  }
}

function tellProgress(progress: { rows: number; of: number; toldAt: number }, lines: readonly string[]): void {
  const [, size] = /"headSequence":(\d+)/.exec(lines[0]?.startsWith('{"object":"start"') ? lines[0] : '') ?? [];
  if (size !== undefined) progress.of = Number(size);
  progress.rows += lines.length;
  if (performance.now() - progress.toldAt < tellEveryMs) return;
  progress.toldAt = performance.now();
  tell({ kind: 'progress', rows: Math.min(progress.rows, progress.of), of: progress.of });
}

/** The lines of an answer, without their ends. */
async function* linesOf({ body }: Response): AsyncGenerator<readonly string[]> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    // A connection that ends in the middle leaves an export without its last line.
    if (!(error instanceof TypeError)) throw error;
  }
  if (rest !== '') yield [rest];
}

function endIn(line: string): { readonly hasMore: boolean; readonly cursor: string } | undefined {
  return line.startsWith('{"object":"end"') || line.includes('"object":"end"') ? JSON.parse(line) : undefined;
}
