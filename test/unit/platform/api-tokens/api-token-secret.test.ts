import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { isApiTokenSecret, makeApiTokenSecret } from '#platform/api-tokens/api-token-secret';

const digit = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

describe('the secret of an API token', () => {
  it('names its kind and carries a checksum', () => {
    for (const kind of ['live', 'test'] as const) {
      const secret = makeApiTokenSecret(kind, systemRandom);
      expect(secret).toMatch(new RegExp(`^svc_${kind}_[0-9A-Za-z]{38}$`));
      expect(isApiTokenSecret(secret)).toBe(true);
    }
  });

  it('keeps its checksum in later versions', () => {
    const zeros = { hex: (bytes: number) => '00'.repeat(bytes), uuid: () => '', orderedUuid: () => '' };
    expect(makeApiTokenSecret('live', zeros)).toBe('svc_live_000000000000000000000000000000003uclD9');
  });

  it('draws bytes again that would make some digits likelier', () => {
    const bytes = ['f8ff', '3d'.repeat(30), '0101'];
    const drawn: number[] = [];
    const random = {
      hex: (count: number) => {
        drawn.push(count);
        return (bytes.shift() ?? '').padEnd(count * 2, '3d');
      },
      uuid: () => '',
      orderedUuid: () => '',
    };
    expect(makeApiTokenSecret('test', random)).toMatch(/^svc_test_z{32}/);
    expect(drawn).toEqual([32, 2]);
  });

  it('is reported from a text with one wrong character', () => {
    const secret = makeApiTokenSecret('live', systemRandom);
    fc.assert(
      fc.property(fc.integer({ min: 'svc_live_'.length, max: secret.length - 1 }), digit, (place, other) => {
        fc.pre(secret[place] !== other);
        expect(isApiTokenSecret(secret.slice(0, place) + other + secret.slice(place + 1))).toBe(false);
      }),
    );
    expect(isApiTokenSecret(secret.replace('live', 'test'))).toBe(false);
    for (const text of ['', secret.slice(1), `${secret}0`, ` ${secret}`, `${secret}\n`]) {
      expect(isApiTokenSecret(text)).toBe(false);
    }
  });
});
