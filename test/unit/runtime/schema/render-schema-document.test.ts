import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchemaDocument } from '#contracts/schema-document';
import { renderSchemaDocument } from '../../../../src/runtime/schema/render-schema-document.ts';

const render = (value: unknown) => renderSchemaDocument(value as SchemaDocument);

describe('renderSchemaDocument', () => {
  it('keeps on one line what fits on 100 characters, and breaks what does not', () => {
    const short = 'x'.repeat(20);
    expect(render({ a: [1, null], b: { c: short } })).toBe(`{"a": [1, null], "b": {"c": "${short}"}}\n`);
    const long = 'x'.repeat(80);
    expect(render({ a: [1, 2], b: long, c: undefined })).toBe(`{\n  "a": [1, 2],\n  "b": "${long}"\n}\n`);
  });

  it('counts what stands before a value on its line', () => {
    const fits = { key: { inner: 'x'.repeat(75) }, other: 'y'.repeat(20) };
    expect(
      render(fits)
        .split('\n')
        .filter((line) => line.length > 100),
    ).toEqual([]);
  });

  it('is JSON of the same value, no line with room longer than 100 characters', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = render(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        const tooLong = text.split('\n').filter((line) => line.length > 101 && /[[{].*,.*[\]}],?$/.test(line));
        // Only a single text or a key may be longer than a line.
        for (const line of tooLong) expect(line).toMatch(/"(?:[^"\\]|\\.){60,}"/);
      }),
    );
  });
});
