import { describe, expect, it } from 'vitest';
import { createAddressList } from '#runtime/surfaces/request/ip-filter';

describe('a list of addresses', () => {
  const list = createAddressList([
    { type: 0, ip: '198.51.100.4' },
    { type: 1, ipMinimum: '10.0.0.1', ipMaximum: '10.0.0.40' },
    { type: 2, range: '2001:db8::/40' },
    { type: 2, range: '192.0.2.0/24' },
  ]);

  it.each([
    ['198.51.100.4', true],
    ['198.51.100.5', false],
    ['10.0.0.1', true],
    ['10.0.0.40', true],
    ['10.0.0.41', false],
    ['2001:db8:1::7', true],
    ['2001:dc8::7', false],
    ['::ffff:192.0.2.9', true],
    ['192.0.2.9, 192.0.2.8', false],
    ['', false],
    ['nonsense', false],
  ])('holds %j: %s', (address, isHeld) => {
    expect(list.holds(address)).toBe(isHeld);
    expect(list.unreadable).toEqual([]);
  });

  it('passes over rules that are not one', () => {
    const strange = [
      { type: 0, ip: 'x' },
      { type: 1, ipMinimum: '10.0.0.1' },
      { type: 1, ipMinimum: '10.0.0.9', ipMaximum: '10.0.0.1' },
      { type: 2, range: '10.0.0.0' },
      { type: 2, range: '10.0.0.0/99' },
      { type: 2, range: '10.0.0.0/ ' },
      { type: 7 },
      null,
    ];
    const mixed = createAddressList([...strange, { type: 0, ip: '192.0.2.1' }]);
    expect(mixed.unreadable).toEqual(strange);
    expect(mixed.holds('192.0.2.1')).toBe(true);
    expect(mixed.holds('10.0.0.1')).toBe(false);
  });
});
