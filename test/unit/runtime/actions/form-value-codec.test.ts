import { expect, it } from 'vitest';
import { encodeFieldValue } from '#runtime/actions/form-value-codec';

it('a key of bytes is sent as ids are written', () => {
  expect(encodeFieldValue('Collection', [new Uint8Array([1, 171]), 'a', 7])).toBe('01ab|a|7');
});
