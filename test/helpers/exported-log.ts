import { generateKeyPairSync } from 'node:crypto';
import { type Genesis, genesisHash, leafOf, rowHashOf } from '#contracts/audit/chain';
import { exportedValues } from '#contracts/audit/disclosures';
import { MerkleTree } from '#contracts/audit/merkle-tree';
import type { OutcomeEntry } from '#contracts/audit/rows';
import { signCheckpoint, signSegment, verifierOf } from '#contracts/audit/signing';
import { partsOf } from '#platform/audit/chain-row';
import { activityEntry } from '../contract/audit/audited-environment.ts';

const genesis: Genesis = {
  object: 'genesis',
  chain: '6f1d2c3b-0000-4000-8000-000000000001',
  kind: 'activity',
  project: 'shop',
  environment: 'Development',
  createdAt: '2026-01-01T00:00:00.000Z',
};

const begin = Date.parse('2026-02-01T00:00:00.000Z');

/** Lines of an export, and of the segment of the same month, as a platform would write them. Every tenth act has an end of its own. */
export function exportedLog(rows: number) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { verifier } = verifierOf(privateKey);
  const rowHash = rowHashOf(genesis.chain, 2);
  const hashes = [genesisHash(genesis)];
  const tree = new MerkleTree();
  const lines: string[] = [];
  for (let sequence = 1; sequence <= rows; sequence++) {
    const at = new Date(begin + sequence * 1000).toISOString();
    const id = `00000000-0000-4000-8000-${sequence.toString(16).padStart(12, '0')}`;
    const outcome: OutcomeEntry = {
      ...{ object: 'activityLogOutcome', id, actSequence: sequence - 1, status: 'completed', durationMs: 1 },
    };
    const entry = sequence % 10 === 0 ? outcome : activityEntry({ id });
    const place = { chain: genesis.chain, sequence, createdAt: at, recordedAt: at, version: 2 } as const;
    const parts = partsOf(entry, place);
    const previousHash = hashes[sequence - 1] ?? '';
    const hash = rowHash(sequence, previousHash, parts.body);
    hashes.push(hash);
    tree.add(leafOf(parts.body));
    lines.push(`${exportedValues(parts)},"hash":"${hash}","previousHash":"${previousHash}"}`);
  }
  const at = new Date(begin + (rows + 1) * 1000).toISOString();
  const hashAt = (sequence: number) => hashes[sequence] ?? '';
  const checkpointAt = (size: number) =>
    signCheckpoint({ chain: genesis.chain, size, hash: hashAt(size), at }, privateKey);
  const startAt = (after: number) =>
    JSON.stringify({
      ...{ object: 'start', format: 2, genesis, filters: [], keys: [verifier] },
      place: { after, previousHash: hashAt(after), headSequence: rows },
    });
  const endAt = (from: number, to: number) =>
    JSON.stringify({
      ...{ object: 'end', cursor: `after ${to}`, count: to - from, hasMore: to < rows },
      ...{ headSequence: rows, headHash: hashAt(rows), signedCheckpoint: to === rows ? checkpointAt(rows) : null },
    });
  const note = signSegment(
    {
      ...{ chain: genesis.chain, month: '2026-02', size: rows, root: tree.root(), first: 1, last: rows },
      ...{ before: hashAt(0), end: hashAt(rows), at },
    },
    privateKey,
  );
  return {
    ...{ privateKey, keys: [{ verifier }], checkpointAt },
    rows: lines,
    /** A part of an export, with its first and its last line. */
    part: (from: number, to: number) => [startAt(from), ...lines.slice(from, to), endAt(from, to)],
    segment: [JSON.stringify({ object: 'segment', format: 1, genesis, note, keys: [verifier] }), ...lines],
  };
}
