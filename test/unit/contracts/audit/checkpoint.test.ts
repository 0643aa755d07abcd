import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isSignedBy, isVerifier, readCheckpoint } from '#contracts/audit/checkpoint';
import { signCheckpoint, verifierOf } from '#contracts/audit/signing';

const { privateKey } = generateKeyPairSync('ed25519');
const key = verifierOf(privateKey);
const checkpoint = {
  chain: '6f1d2c3b-0000-4000-8000-000000000001',
  size: 12,
  hash: 'ab'.repeat(32),
  at: '2026-01-01T00:00:00.000Z',
};
const note = signCheckpoint(checkpoint, privateKey);

describe('a checkpoint', () => {
  it('is a signed note that says what it was made of', () => {
    expect(note.split('\n').slice(0, 5)).toEqual([
      'vendor-cloud.audit/6f1d2c3b-0000-4000-8000-000000000001',
      '12',
      Buffer.from('ab'.repeat(32), 'hex').toString('base64'),
      '2026-01-01T00:00:00.000Z',
      '',
    ]);
    expect(readCheckpoint(note)).toEqual(checkpoint);
    expect(isSignedBy(note, [key])).toBe(true);
  });

  it('is read and verified with signatures of keys that nobody knows', () => {
    const lines = ['— witness.example AAAAAAAAAAA=', '— vendor-cloud.audit AAAA', '— other+name ****'];
    const signedByOthers = `${note}${lines.join('\n')}\n`;
    expect(readCheckpoint(signedByOthers)).toEqual(checkpoint);
    expect(isSignedBy(signedByOthers, [key])).toBe(true);
  });

  it('is refused after any change of its text, and with another key', () => {
    expect(isSignedBy(note, [verifierOf(generateKeyPairSync('ed25519').privateKey)])).toBe(false);
    const end = note.indexOf('\n\n');
    for (let at = 0; at < end; at++) {
      const changed = `${note.slice(0, at)}${note[at] === '1' ? '2' : '1'}${note.slice(at + 1)}`;
      expect(isSignedBy(changed, [key]), `character ${at}`).toBe(false);
    }
  });

  it.each(['', 'vendor-cloud.audit/x\n1\n', note.replace('\n12\n', '\n012\n'), note.replace('\n12\n', '\n-1\n')])(
    'is not read from %j',
    (text) => {
      expect(readCheckpoint(text)).toBeUndefined();
    },
  );

  it('has a public key as text, and every part of it counts', () => {
    expect(isVerifier(key.verifier)).toBe(true);
    for (const text of ['', 'vendor-cloud.audit', key.verifier.replace(/\+[0-9a-f]/, '+z'), `${key.verifier}AAAA`]) {
      expect(isVerifier(text), text).toBe(false);
    }
  });
});
