import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asciiJson } from '#kernel/json/ascii-json';

it('writes each value as JSON in ASCII that reads as the value', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (texts) => {
      const json = asciiJson(texts);
      expect(json).toMatch(/^[\0-\u007f]*$/);
      expect(JSON.parse(json)).toEqual(texts);
    }),
  );
});
