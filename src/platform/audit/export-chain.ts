import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Genesis, genesisHash, leafOf, type RegisterGenesis } from '#contracts/audit/chain';
import { readCheckpoint } from '#contracts/audit/checkpoint';
import { exportedValues } from '#contracts/audit/disclosures';
import type { ErasureEntry } from '#contracts/audit/erasure';
import { type ExportEnd, type ExportPlace, type ExportStart, exportFormat } from '#contracts/audit/export-lines';
import type { ExportedRegister } from '#contracts/audit/exported-register';
import type { RegisterEntry } from '#contracts/audit/register';
import type { TombstoneEntry } from '#contracts/audit/rows';
import { verifierOf } from '#contracts/audit/signing';
import { cloudError } from '#kernel/errors/cloud-error';
import { asciiJson } from '#kernel/json/ascii-json';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import type { AuditSigner } from './audit-signer.ts';

type Db = Store['db'];

/** This many rows are one statement: no reader holds the store for long. */
const rowsPerSlice = 1_000;

interface ExportSlice {
  /** Each row as a line of JSON, without its end. */
  readonly lines: readonly string[];
  /** The last row of the slice. */
  readonly last: number;
  /** The chain that ends with the last slice. */
  readonly chain: ChainRecord;
}

/**
 * Every row of a chain behind `after`, up to the row `to`, oldest first, some at a time: acts and changes, and the rows that
 * belong to them. A chain that was cut off begins at its first row. An export to the end goes on where values were erased
 * meanwhile: rows that lack them need the row that says why.
 */
export async function* exportChain(
  db: Db,
  asked: ChainRecord,
  { after, to }: { readonly after: number; readonly to: number },
): AsyncGenerator<ExportSlice> {
  let last = Math.max(after, asked.firstSequence - 1);
  let previousHash = await hashAt(db, asked, last);
  let end = to;
  for (let chain: ChainRecord | undefined = asked; chain; ) {
    while (last < end) {
      const rows = await db
        .selectFrom('auditRows')
        .select(['sequence', 'body', 'disclosed', 'hash'])
        .where('chainId', '=', chain.id)
        .where('sequence', '>', last)
        .where('sequence', '<=', end)
        .orderBy('sequence')
        .limit(rowsPerSlice)
        .execute();
      const lines = rows.map(({ hash, ...parts }) => {
        const line = `${exportedValues(parts)},"hash":"${hash}","previousHash":"${previousHash}"}`;
        previousHash = hash;
        return line;
      });
      const newest = rows.at(-1)?.sequence;
      // The rows were removed meanwhile, as their retention says.
      if (newest === undefined) return;
      last = newest;
      yield { lines, last, chain };
      await setImmediate();
    }
    chain = end < chain.headSequence ? undefined : await erasedMeanwhile(db, chain);
    if (chain) end = chain.headSequence;
  }
}

/** The chain as it is now, where values were erased or rows removed since it was read. */
async function erasedMeanwhile(db: Db, { id, headSequence }: ChainRecord): Promise<ChainRecord | undefined> {
  const erasure = await db
    .selectFrom('auditRows')
    .select('sequence')
    .where('chainId', '=', id)
    .where('sequence', '>', headSequence)
    .where('kind', '=', sql.lit('tombstone' as const))
    .limit(1)
    .executeTakeFirst();
  if (!erasure) return undefined;
  // Where somebody has set the head of a chain back, rows behind it are not part of the log.
  return db
    .selectFrom('auditChains')
    .selectAll()
    .where('id', '=', id)
    .where('headSequence', '>', headSequence)
    .executeTakeFirst();
}

/** The hash of a row; of the row before the first one that is left, what its tombstone says. */
export async function hashAt(db: Db, chain: ChainRecord, sequence: number): Promise<string> {
  if (sequence === 0) return genesisHash(JSON.parse(chain.genesis) as Genesis);
  const row = await db
    .selectFrom('auditRows')
    .select('hash')
    .where('chainId', '=', chain.id)
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  // A row that is about to be removed may still be there. The tombstone is what is proved.
  const kept = sequence < chain.firstSequence ? undefined : row?.hash;
  const hash = kept ?? (await hashOfRemoved(db, chain, sequence));
  if (hash !== undefined) return hash;
  throw cloudError(
    'PLATFORM_STORE_UNAVAILABLE',
    `The row ${sequence} of the audit log is missing.`,
    'Verify the log with `vendor-cloud audit verify`.',
  );
}

async function hashOfRemoved(db: Db, chain: ChainRecord, sequence: number): Promise<string | undefined> {
  const tombstones = await db
    .selectFrom('auditRows')
    .select('body')
    .where('chainId', '=', chain.id)
    .where('kind', '=', sql.lit('tombstone' as const))
    .where('sequence', '>=', chain.firstSequence)
    .orderBy('sequence', 'desc')
    .execute();
  const found = tombstones
    .map(({ body }) => JSON.parse(body) as TombstoneEntry | ErasureEntry)
    .map((entry) => (entry.object === 'tombstone' ? readCheckpoint(entry.checkpoint) : undefined))
    .find((checkpoint) => checkpoint?.size === sequence);
  return found?.hash;
}

/** Where an export begins. */
export async function placeBehind(db: Db, chain: ChainRecord, after: number): Promise<ExportStart['place']> {
  return { after, previousHash: await hashAt(db, chain, after), headSequence: chain.headSequence };
}

export interface ExportInput {
  readonly chain: ChainRecord;
  /** Go on behind this row. */
  readonly after: number;
  readonly maxRows: number;
  /** `undefined` on a platform without a key: nothing is signed. */
  readonly signer: AuditSigner | undefined;
  /** A cursor that goes on behind a row. */
  readonly cursorAt: (sequence: number) => string;
  /** Asked after each slice with the number of rows so far: whether to end early, with the last line. */
  readonly isOver?: ((rows: number) => Promise<boolean>) | undefined;
}

const linesPerText = 50;

/**
 * The rows of a chain as lines, some at a time, each text with its ends of lines. Without the last line (`end`), the export was cut
 * off; it goes on from the last `checkpoint`.
 */
export async function* exportAsLines(db: Store['db'], input: ExportInput): AsyncGenerator<string> {
  const { after, maxRows, signer, cursorAt, isOver } = input;
  let { chain } = input;
  const to = Math.min(chain.headSequence, Math.max(after, chain.firstSequence - 1) + maxRows);
  yield line({
    object: 'start',
    format: exportFormat,
    genesis: JSON.parse(chain.genesis) as Genesis,
    place: await placeBehind(db, chain, after),
    filters: [],
    keys: signer ? [verifierOf(signer.key).verifier] : [],
    register: signer && after === 0 ? await exportedRegister(db, chain.chain, signer) : undefined,
  });
  let sequence = after;
  let count = 0;
  for await (const slice of exportChain(db, chain, { after, to })) {
    const { lines, last } = slice;
    chain = slice.chain;
    sequence = last;
    count += lines.length;
    // Short texts are collected soon; one text of a whole slice would stay for long.
    for (let at = 0; at < lines.length; at += linesPerText) yield `${lines.slice(at, at + linesPerText).join('\n')}\n`;
    yield line({ object: 'checkpoint', cursor: cursorAt(last), sequence: last });
    if ((await isOver?.(count)) === true) break;
  }
  const isWhole = sequence === chain.headSequence || chain.headSequence === 0;
  yield line({
    object: 'end',
    cursor: cursorAt(sequence),
    count,
    hasMore: !isWhole,
    headSequence: chain.headSequence,
    headHash: chain.headHash,
    signedCheckpoint: isWhole && signer ? await signer.checkpoints.sign(chain) : null,
  });
}

function line(content: ExportStart | ExportPlace | ExportEnd): string {
  return `${asciiJson(content)}\n`;
}

/** The register as an export of one log has it; `undefined` before it begins. */
async function exportedRegister(
  db: Store['db'],
  logChain: string,
  { checkpoints }: AuditSigner,
): Promise<ExportedRegister | undefined> {
  const signedCheckpoint = await checkpoints.signRegister();
  const size = signedCheckpoint === undefined ? undefined : readCheckpoint(signedCheckpoint)?.size;
  if (signedCheckpoint === undefined || size === undefined) return undefined;
  const rows = await db
    .selectFrom('auditRegister')
    .select('body')
    .where('sequence', '<=', size)
    .orderBy('sequence')
    .execute();
  const [genesis, ...others] = rows.map(({ body }) => body);
  if (genesis === undefined) return undefined;
  const { chain } = JSON.parse(genesis) as RegisterGenesis;
  const entries = others.map((body) => JSON.parse(body) as RegisterEntry);
  const own = entries.find((entry) => entry.object === 'chain' && entry.logChain === logChain);
  const isShown = (entry: RegisterEntry) => [logChain, chain].includes(entry.logChain) || isOfSameOwner(entry, own);
  return {
    genesis: JSON.parse(genesis) as RegisterGenesis,
    rows: others.map((body, index) => (entries[index] && isShown(entries[index]) ? { body } : { leaf: leafOf(body) })),
    signedCheckpoint,
  };
}

/** Two logs of one owner would show that the first one was replaced. */
function isOfSameOwner(entry: RegisterEntry, other: RegisterEntry | undefined): boolean {
  if (entry.object !== 'chain' || other?.object !== 'chain') return false;
  return entry.projectId === other.projectId && entry.environmentId === other.environmentId;
}
