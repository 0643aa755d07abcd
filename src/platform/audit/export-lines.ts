import type { Genesis } from '#contracts/audit/chain';
import { verifierOf } from '#contracts/audit/checkpoint';
import type { ExportEnd, ExportPlace, ExportStart } from '#contracts/audit/export-lines';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import type { AuditSigner } from './audit-signer.ts';
import { exportChain, hashAt } from './export-log.ts';

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
  const { chain, after, maxRows, signer, cursorAt, isOver } = input;
  const to = Math.min(chain.headSequence, Math.max(after, chain.firstSequence - 1) + maxRows);
  yield line({
    object: 'start',
    genesis: JSON.parse(chain.genesis) as Genesis,
    after,
    previousHash: await hashAt(db, chain, after),
    filters: [],
    keys: signer ? [verifierOf(signer.key).verifier] : [],
  });
  let sequence = after;
  let count = 0;
  for await (const { lines, last } of exportChain(db, chain, { after, to })) {
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
  return `${JSON.stringify(content)}\n`;
}
