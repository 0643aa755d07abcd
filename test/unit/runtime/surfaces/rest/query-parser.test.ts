import { describe, expect, it } from 'vitest';
import { createQueryParser } from '#runtime/surfaces/rest/query-parser';

describe('the parser of queries', () => {
  it('gives the same object for the same text, which nobody can change', () => {
    const parse = createQueryParser();
    const first = parse('sort=-id&page[size]=5&name=%C3%A9');
    expect(first).toEqual({ sort: '-id', 'page[size]': '5', name: 'é' });
    expect(parse('sort=-id&page[size]=5&name=%C3%A9')).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
    expect(parse('sort=id')).toEqual({ sort: 'id' });
  });

  it('joins what is repeated, and reads names as they are', () => {
    const parse = createQueryParser();
    expect(parse('ids=1&ids=2&__proto__=x&flag')).toEqual(
      Object.assign(Object.create(null), { ids: '1,2', ['__proto__']: 'x', flag: '' }),
    );
    expect(parse('')).toEqual({});
  });

  it('keeps no text that is too long', () => {
    const parse = createQueryParser();
    const text = `search=${'x'.repeat(5000)}`;
    expect(parse(text)).not.toBe(parse(text));
    expect(parse(text)).toEqual(parse(text));
  });
});
