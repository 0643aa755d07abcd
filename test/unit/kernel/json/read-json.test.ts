import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#kernel/json/canonical-json';
import { isTooDeep, parseExactly } from '#kernel/json/read-json';
import { documentText, parseStoredDocument } from '#runtime/query/stored-document';

interface Document {
  price: number;
  ids: number[];
  inner: { huge: number };
}

const text = '{"price":10.00,"ids":[9007199254740993,1,-0],"inner":{"huge":1e400}}';

describe('JSON that is read exactly', () => {
  it.each([
    text,
    '[1.50,0.1,100000000000000000000000000000000000001]',
    '9007199254740993',
    ' 1.0',
    '{"toJSON":1,"n":2}',
    '{"__proto__":1.10,"a":1.10}',
    '"1.10"',
    'null',
    '[]',
  ])('has every digit when it is written: %s', (given) => {
    expect(JSON.stringify(parseExactly(given))).toBe(given.trim());
  });

  it('has the numbers of JavaScript, and nothing else to be seen', () => {
    const document = parseExactly(text) as Document;
    expect(document).toEqual({ price: 10, ids: [9007199254740992, 1, -0], inner: { huge: Number.POSITIVE_INFINITY } });
    expect(Object.keys(document)).toEqual(['price', 'ids', 'inner']);
    expect(Number(parseExactly('9007199254740993')) + 1).toBe(9007199254740992 + 1);
    expect(canonicalJson(document)).toBe('{"ids":[9007199254740992,1,0],"inner":{"huge":null},"price":10}');
  });

  it('is written as it is now where somebody has changed it', () => {
    const document = parseExactly(text) as Document;
    document.price = 11;
    document.ids.shift();
    expect(JSON.stringify(document)).toBe('{"price":11,"ids":[1,0],"inner":{"huge":1e400}}');
    expect(JSON.stringify({ ...document.inner })).toBe('{"huge":null}');
  });

  it('refuses what is not JSON', () => {
    for (const given of ['1.', '{"a":1.10', '01.0', '']) expect(() => parseExactly(given)).toThrow(SyntaxError);
  });

  it('keeps the text of a stored document that nobody has changed', () => {
    const spaced = '{ "n": 10.00 }';
    const document = parseStoredDocument(spaced) as { n: number };
    expect(documentText(document)).toBe(spaced);
    document.n = 12;
    expect(documentText(document)).toBe('{"n":12}');
  });
});

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('the depth of JSON', () => {
  it.each([
    ['a thousand levels', nested(1_000)],
    ['many objects beside each other', JSON.stringify(Array.from({ length: 2_000 }, () => ({ a: [1] })))],
    ['brackets in texts', JSON.stringify(['['.repeat(2_000), '"['.repeat(2_000), '\\"['.repeat(2_000)])],
    ['brackets in a name that ends in a backslash', JSON.stringify({ ['{\\'.repeat(2_000)]: 1 })],
    ['brackets in a text without an end', `"${'['.repeat(2_000)}`],
  ])('is not trouble: %s', (_what, json) => {
    expect(isTooDeep(json)).toBe(false);
  });

  it.each([
    ['lists', nested(1_001)],
    ['objects', `${'{"a\\\\":'.repeat(1_001)}1${'}'.repeat(1_001)}`],
    ['what has no end', '[{"":'.repeat(501)],
  ])('is too much: %s', (_what, json) => {
    expect(isTooDeep(json)).toBe(true);
  });
});
