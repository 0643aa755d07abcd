import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Genesis, genesisHash, rowHashOf } from '#contracts/audit/chain';

const genesis: Genesis = {
  object: 'genesis',
  chain: '6f1d2c3b-0000-4000-8000-000000000001',
  kind: 'activity',
  project: 'shop',
  environment: 'Production',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const body = '{"id":"é","sequence":258}';

function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  return createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
}

describe('the chain of the audit log', () => {
  it('begins with the hash of its genesis as canonical JSON', () => {
    const text =
      '{"chain":"6f1d2c3b-0000-4000-8000-000000000001","createdAt":"2026-01-01T00:00:00.000Z","environment":"Production","kind":"activity","object":"genesis","project":"shop"}';
    expect(genesisHash(genesis)).toBe(sha256(text).toString('hex'));
  });

  it.each([1, 2] as const)(
    'links a row of version %s to its chain, its place, the row before it and its body',
    (version) => {
      const before = genesisHash(genesis);
      const leaf = sha256(Uint8Array.of(0), body);
      const place = Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 2);
      const link = sha256(
        Uint8Array.of(1),
        `audit/v${version}`,
        genesis.chain,
        place,
        Buffer.from(before, 'hex'),
        leaf,
      );
      expect(rowHashOf(genesis.chain, version)(258, before, body)).toBe(link.toString('hex'));
    },
  );
});
