import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leafOf } from '#contracts/audit/chain';
import { nodeHash } from '#contracts/audit/merkle-tree';
import { type RowProof, verifyRowProof } from '#contracts/audit/row-proof';
import { signSegment, verifierOf } from '#contracts/audit/signing';

const { privateKey } = generateKeyPairSync('ed25519');
const keys = [verifierOf(privateKey)];
const chain = '6f1d2c3b-0000-4000-8000-000000000001';
const hash = 'a'.repeat(64);

/** A proof of four rows of a log, as whoever has the key of the platform could write and sign them. */
function proofOf(entries: readonly [object, object, object, object]): RowProof {
  const bodies = entries.map((entry, index) =>
    JSON.stringify({ ...entry, chain, sequence: index + 1, createdAt: `2026-01-01T00:00:00.00${index}Z` }),
  ) as [string, string, string, string];
  const [a, b, c, d] = bodies.map(leafOf) as [string, string, string, string];
  const [left, right] = [nodeHash(a, b), nodeHash(c, d)];
  const segment = {
    chain,
    month: '2026-01',
    size: 4,
    first: 1,
    last: 4,
    before: hash,
    end: hash,
    at: '2026-01-31T00:00:00.000Z',
  };
  const note = signSegment({ ...segment, root: nodeHash(left, right) }, privateKey);
  const paths = [
    [b, right],
    [a, right],
    [d, left],
    [c, left],
  ];
  const [first, ...further] = bodies.map((body, index) => ({ body, index, path: paths[index] ?? [] }));
  if (!first) throw new RangeError('There is no row.');
  return { object: 'proof', format: 1, ...first, note, further };
}

const act = { object: 'activityLog', id: 'x', status: 'pending', recordIds: ['1'], recordCount: 2 };
const records = { object: 'activityLogRecords', id: 'x', actSequence: 1, recordIds: ['2'] };
const end = { object: 'activityLogOutcome', id: 'x', actSequence: 1, status: 'completed' };

describe('the proof of an act', () => {
  it('holds with its records and one end', () => {
    const proof = proofOf([act, records, end, { ...records, recordIds: ['1'] }]);
    expect(verifyRowProof(proof, keys)).toMatchObject({ outcome: 'holds', gaps: [], further: [{}, {}, {}] });
  });

  it.each([
    ['two ends', [act, records, end, { ...end, status: 'failed' }]],
    ['an end of what was not open', [{ ...act, status: 'completed' }, records, end, records]],
    ['a row of another act', [act, { ...records, actSequence: 9 }, end, records]],
    ['a row with another id', [act, { ...records, id: 'y' }, end, records]],
    ['a row of another kind', [act, records, end, { object: 'tombstone', id: 'x' }]],
    ['rows behind a change of the configuration', [{ object: 'adminLog', id: 'x' }, records, end, records]],
  ] as const)('does not hold with %s, whoever has signed it', (_what, entries) => {
    expect(verifyRowProof(proofOf(entries), keys)).toMatchObject({ outcome: 'broken', row: null });
  });
});
