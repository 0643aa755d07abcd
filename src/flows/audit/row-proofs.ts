import path from 'node:path';
import { type ProofVerdict, type RowProof, rowProofSchema, verifyRowProof } from '#contracts/audit/row-proof';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogInput } from './connect-to-audit-log.ts';
import { broken, fileMissing, readKey, unverifiable } from './verdict-errors.ts';

export interface ProveInput extends LogInput {
  /** Id of the act or the change. */
  readonly id: string;
  /** Where the proof goes. */
  readonly file?: string | undefined;
}

export interface WrittenProof {
  readonly proof: RowProof;
  /** `null`: it was not written to a file. */
  readonly file: string | null;
  /** Length of the proof as JSON. */
  readonly bytes: number;
}

/** Ask the platform for what proves one row of a log. */
export async function proveRow(context: FlowContext, input: ProveInput): Promise<WrittenProof> {
  const { client, log } = await connectToLog(context, input);
  const proof = await client.proof(log, input.id);
  const text = `${JSON.stringify(proof)}\n`;
  const bytes = Buffer.byteLength(text);
  if (input.file === undefined) return { proof, file: null, bytes };
  const file = path.resolve(context.workingFolder, input.file);
  await context.fs.writeAtomically(file, text, { mode: 0o600 });
  return { proof, file, bytes };
}

/**
 * Verify the proof of one row, offline.
 *
 * @throws `AUDIT_LOG_BROKEN`, `AUDIT_LOG_UNVERIFIABLE`.
 */
export async function verifyProof(
  context: FlowContext,
  { proof, keys }: { readonly proof: string; readonly keys: readonly string[] },
): Promise<ProofVerdict> {
  const known = await Promise.all(keys.map((key) => readKey(context, key)));
  const verdict = verifyRowProof(await readProof(context, proof), known);
  if (verdict.outcome === 'broken') throw broken({ problem: verdict.problem, rows: 0 });
  if (verdict.outcome === 'unverifiable') throw unverifiable({ missing: verdict.missing, rows: 1 });
  return verdict;
}

async function readProof(context: FlowContext, file: string): Promise<RowProof> {
  const text = await context.fs.readText(path.resolve(context.workingFolder, file));
  if (text === null) throw fileMissing(file, '--proof');
  const read = rowProofSchema.safeParse(jsonOf(text));
  if (read.success) return read.data;
  throw cloudError(
    'USAGE_INVALID',
    `${file} is not a proof that this version of vendor-cloud reads.`,
    'Name a file that `audit prove --file` has written. A newer platform writes newer ones: update vendor-cloud.',
    { cause: read.error },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Told by who asks.
    return undefined;
  }
}
