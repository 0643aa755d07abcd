import { generateKeyPairSync, hash, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { cosignedAt, isCosigner, missingCosignatures } from '#contracts/audit/cosignature';
import { monthBounds, readAnchor, readSegment, type Segment } from '#contracts/audit/segment';
import { cosign, cosignerKeyOf, cosignerOf, signSegment, verifierOf } from '#contracts/audit/signing';

const { privateKey } = generateKeyPairSync('ed25519');
const key = verifierOf(privateKey);
const segment: Segment = {
  chain: '6f1d2c3b-0000-4000-8000-000000000001',
  month: '2026-10',
  size: 3,
  root: 'ab'.repeat(32),
  first: 7,
  last: 9,
  before: 'cd'.repeat(32),
  end: 'ef'.repeat(32),
  at: '2026-11-01T01:00:00.000Z',
};
const note = signSegment(segment, privateKey);
const cosigner = cosignerKeyOf('witness.example/w1', '11'.repeat(32));
const seconds = 1_793_000_000;
const cosigned = cosign(note, cosigner, seconds);

describe('a segment', () => {
  it('is a signed note in the form of a checkpoint of a log', () => {
    const base64 = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex').toString('base64');
    expect(note.split('\n').slice(0, 9)).toEqual([
      'vendor-cloud.audit/6f1d2c3b-0000-4000-8000-000000000001/2026-10',
      '3',
      base64('ab'.repeat(32)),
      'first 7',
      'last 9',
      `before ${base64('cd'.repeat(32))}`,
      `end ${base64('ef'.repeat(32))}`,
      'time 2026-11-01T01:00:00.000Z',
      '',
    ]);
    expect(readSegment(note)).toEqual(segment);
    expect(isSignedBy(note, [key])).toBe(true);
    expect(isSignedBy(note.replace('last 9', 'last 8'), [key])).toBe(false);
  });

  it('is not a checkpoint of the whole log, and says where the log ended all the same', () => {
    expect(readCheckpoint(note)).toBeUndefined();
    const { chain, at } = segment;
    expect(readAnchor(note)).toEqual({ chain, size: 9, hash: segment.end, at });
  });

  it.each([
    ['another number of rows than it has', note.replace('\n3\n', '\n4\n')],
    ['a month that there is not', note.replace('2026-10', '2026-13')],
    ['a line more', note.replace('first 7', 'first 7\nfirst 7')],
  ])('is not read with %s', (_what, changed) => {
    expect(readSegment(changed)).toBeUndefined();
  });

  it('goes from the first instant of a month to that of the next, also at the end of a year', () => {
    expect(monthBounds('2026-12')).toEqual({ start: Date.UTC(2026, 11), end: Date.UTC(2027, 0) });
  });
});

describe('a cosignature', () => {
  it('is a line more: the id of the key, the time, and a signature of time and note', () => {
    const [, line = ''] = cosigned.split('— witness.example/w1 ');
    const bytes = Buffer.from(line, 'base64');
    const [, , encoded = ''] = cosignerOf(cosigner).split('+');
    const raw = Buffer.from(encoded, 'base64');
    expect(raw[0]).toBe(4);
    expect(bytes.subarray(0, 4)).toEqual(
      hash('sha256', Buffer.concat([Buffer.from('witness.example/w1\n'), raw]), 'buffer').subarray(0, 4),
    );
    expect(bytes.readBigUInt64BE(4)).toBe(BigInt(seconds));
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
    const publicKey = { key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw.subarray(1)]) };
    expect(verify(null, message, { ...publicKey, format: 'der', type: 'spki' }, bytes.subarray(12))).toBe(true);
  });

  it('leaves the signature of the platform as it is', () => {
    expect(cosigned.startsWith(note)).toBe(true);
    expect(isSignedBy(cosigned, [key])).toBe(true);
    expect(readSegment(cosigned)).toEqual(segment);
    expect(cosignedAt(cosigned, cosignerOf(cosigner))).toBe(seconds * 1000);
  });

  it('counts for its key, its note and its time only', () => {
    const other = cosignerKeyOf('witness.example/w1', '22'.repeat(32));
    expect(cosignedAt(cosigned, cosignerOf(other))).toBeUndefined();
    expect(cosignedAt(cosigned.replace('last 9', 'last 8'), cosignerOf(cosigner))).toBeUndefined();
    const lines = cosigned.trimEnd().split('\n');
    const bytes = Buffer.from(lines.at(-1)?.split(' ')[2] ?? '', 'base64');
    bytes.writeBigUInt64BE(BigInt(seconds + 1), 4);
    const later = [...lines.slice(0, -1), `— witness.example/w1 ${bytes.toString('base64')}`, ''].join('\n');
    expect(cosignedAt(later, cosignerOf(cosigner))).toBeUndefined();
    expect(isCosigner(key.verifier)).toBe(false);
    expect(isCosigner(cosignerOf(cosigner))).toBe(true);
  });

  it('is missing where the machine has not signed, or not in the last 25 hours', () => {
    const verifier = cosignerOf(cosigner);
    const hourMs = 60 * 60_000;
    const missing = (notes: readonly string[], hours: number) =>
      missingCosignatures({ what: 'this log', notes }, [verifier], seconds * 1000 + hours * hourMs);
    expect(missing([note, cosigned], 25)).toEqual([]);
    expect(missing([cosigned], 26)).toEqual([
      `witness.example/w1 has signed this log at ${new Date(seconds * 1000).toISOString()} for the last time.`,
    ]);
    expect(missing([note], 0)).toEqual(['witness.example/w1 has signed nothing of this log.']);
  });
});
