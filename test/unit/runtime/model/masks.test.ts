import { describe, expect, it } from 'vitest';
import { isMaskedText, maskedBy, maskNamed, ownMasks } from '#runtime/model/masks';

describe('the masks that every agent has', () => {
  it.each([
    ['last4', 'DE00 1234', '···1234'],
    ['last4', '1234', '···34'],
    ['last4', 'a', '···'],
    ['last4', '', '···'],
    ['last4', 1234567890, '···7890'],
    ['last4', '𝒜𝒷𝒸𝒹', '···𝒸𝒹'],
    ['last4', Buffer.from('00ff', 'hex'), '···ff'],
    ['email', 'ada@example.test', 'a···@example.test'],
    ['email', 'a@example.test', '···@example.test'],
    ['email', '"a@b"@example.test', '"···@example.test'],
    ['email', '@example.test', '···@example.test'],
    ['email', '𝒜da@example.test', '𝒜···@example.test'],
    ['email', '𝒜@example.test', '···@example.test'],
    ['email', 'no address', '···'],
    ['present', { salary: 5000 }, '···'],
    ['present', false, '···'],
  ] as const)('%s makes of %j %s', (name, value, shown) => {
    expect(ownMasks[name](value)).toBe(shown);
  });

  it('leave what is missing as it is', () => {
    expect([undefined, null].map(maskedBy(ownMasks.present))).toEqual([null, null]);
  });

  it('are found by name, after which come those of the code', () => {
    const ofCode = new Map([['initial', () => 'A.']]);
    expect(maskNamed('email', ofCode)).toBe(ownMasks.email);
    expect(maskNamed('initial', ofCode)?.('Ada')).toBe('A.');
    expect(maskNamed('constructor', ofCode)).toBeUndefined();
  });
});

describe('a text that is sent', () => {
  it.each([
    ['what is shown now', 'A.', 'A.', true],
    ['a mask of another record', 'b···@example.test', 'a···@example.test', true],
    ['another text', 'ada@example.test', 'a···@example.test', false],
    ['nothing', null, null, false],
  ])('is a mask or not: %s', (_case, sent, shown, isMask) => {
    expect(isMaskedText(sent, shown)).toBe(isMask);
  });
});
