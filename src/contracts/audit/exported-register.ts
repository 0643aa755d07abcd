import * as z from 'zod';
import { genesisHash, leafOf, linkHashOf } from './chain.ts';
import { type CheckpointKey, isSignedBy, readCheckpoint } from './checkpoint.ts';
import { isSignedRestore, keptOf, type RegisterRow, type RestoreEntry } from './register.ts';
import { BrokenLog } from './verdict.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What the first row of the register is linked to. */
export const registerGenesisSchema = z.object({
  object: z.literal('genesis'),
  chain: z.uuid(),
  kind: z.literal('register'),
  createdAt: z.string(),
});

/**
 * The register of the platform in an export. The rows about the log that is exported, about its owner and about the register
 * itself are as they were written. Of all others it has only the hash of their body. So it tells nothing of other projects, and
 * is proved all the same.
 */
export const exportedRegisterSchema = z.object({
  genesis: registerGenesisSchema,
  /** From the first one. `leaf` is SHA-256 of 0 and the body. */
  rows: z.array(z.union([z.object({ body: z.string() }), z.object({ leaf: hash })])),
  /** Of the last row, signed. */
  signedCheckpoint: z.string(),
});

export type ExportedRegister = z.output<typeof exportedRegisterSchema>;

/** What a register proves of one log. */
export interface ProvedLog {
  /** Id of the register. */
  readonly register: string;
  /** Each signed by the platform. */
  readonly restores: readonly RestoreEntry[];
  /** The restores of the register itself. */
  readonly restoresOfAll: readonly RestoreEntry[];
  /** Whether a checkpoint that was kept is of the register. */
  readonly isAnchored: boolean;
  /** Name of the environment that it was registered for; `null` for the log of a project. */
  readonly environment: string | null;
}

/**
 * Check the register in an export, and that it has the log with this genesis. Throws a `BrokenLog`.
 *
 * @param anchors Checkpoints that are kept elsewhere; those of the register count.
 */
export function checkExportedRegister(
  { genesis, rows, signedCheckpoint }: ExportedRegister,
  log: { readonly chain: string; readonly genesisHash: string },
  { keys, anchors }: { readonly keys: readonly CheckpointKey[]; readonly anchors: readonly string[] },
): ProvedLog {
  const linkHash = linkHashOf(genesis.chain, 1);
  const hashes = [genesisHash(genesis)];
  const entries: RegisterRow[] = [];
  for (const [index, row] of rows.entries()) {
    const sequence = index + 1;
    const leaf = 'body' in row ? leafOf(row.body) : row.leaf;
    hashes.push(linkHash(sequence, hashes[index] ?? '', leaf));
    if ('body' in row) entries.push(parsedRow(row.body, sequence));
  }
  const all = entries.filter((entry) => entry.object === 'restore');
  const restores = all.filter((entry) => isSignedRestore(entry, keys));
  if (keys.length > 0 && restores.length < all.length) {
    throw broken('The platform has not signed what the register says of a restore.');
  }
  const own = anchors.filter((note) => readCheckpoint(note)?.chain === genesis.chain);
  const ofRegister = restores.filter(({ logChain }) => logChain === genesis.chain);
  for (const note of [signedCheckpoint, ...keptOf(own, ofRegister)]) compare(note, genesis.chain, hashes, keys);
  const [known, ...others] = entries.filter((entry) => entry.object === 'chain');
  if (others.length > 0) throw broken('The log was replaced: the register has another one of the same owner.');
  if (known?.logChain !== log.chain || known.genesisHash !== log.genesisHash) {
    throw broken('The register of the platform does not know this log.');
  }
  const ofLog = restores.filter(({ logChain }) => logChain === log.chain);
  return {
    ...{ register: genesis.chain, restores: ofLog, restoresOfAll: ofRegister },
    ...{ isAnchored: own.length > 0, environment: known.environment },
  };
}

function compare(note: string, chain: string, hashes: readonly string[], keys: readonly CheckpointKey[]): void {
  const said = readCheckpoint(note);
  if (!said || said.chain !== chain) throw broken('The checkpoint of the register cannot be read.');
  if (keys.length > 0 && !isSignedBy(note, keys)) {
    throw new BrokenLog('signature', 0, 'The register is not signed by a known key.');
  }
  const found = hashes[said.size];
  if (found === undefined) throw broken(`The register had ${said.size} rows once, and has ${hashes.length - 1} now.`);
  if (found !== said.hash) throw broken(`Row ${said.size} of the register is not the one that was signed.`);
}

function parsedRow(body: string, sequence: number): RegisterRow {
  try {
    const row = JSON.parse(body) as RegisterRow;
    if (row.sequence === sequence) return row;
  } catch {
    // Told below.
  }
  throw broken(`Row ${sequence} of the register cannot be read.`);
}

function broken(message: string): BrokenLog {
  return new BrokenLog('register', 0, message);
}
