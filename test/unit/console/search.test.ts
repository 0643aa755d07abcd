import { describe, expect, it } from 'vitest';
import { completed, openQuote, tokenAt } from '../../../src/console/list/search-token.ts';
import { writtenName, writtenValue } from '../../../src/console/list/written-search.ts';

/** The text with `|` where the caret stands, completed. */
function complete(text: string, insert: string): string {
  const caret = text.indexOf('|');
  const plain = text.replace('|', '');
  return completed(plain, tokenAt(plain, caret), insert)[0];
}

describe('the completion of a search', () => {
  it('knows what is typed: a word, a name, a value, behind a minus and in a group', () => {
    expect(tokenAt('paris sta', 9)).toEqual({ start: 6, end: 9, text: 'sta' });
    expect(tokenAt('-status:pa', 10)).toEqual({ start: 8, end: 10, field: 'status', text: 'pa' });
    expect(tokenAt('(ada OR customer.ci', 19)).toMatchObject({ start: 8, text: 'customer.ci' });
    expect(tokenAt('total:>=10', 10)).toMatchObject({ start: 8, field: 'total', text: '10' });
    expect(tokenAt('city:"new yo', 12)).toMatchObject({ start: 5, field: 'city', text: 'new yo' });
  });

  it('puts names and values in their place, with quotes where the language needs them', () => {
    expect(complete('a sta| b', 'status:')).toBe('a status: b');
    expect(complete('-status:pa|', 'paid')).toBe('-status:paid ');
    expect(complete('city:"new yo|', '"new york"')).toBe('city:"new york" ');
    expect([writtenName('unit price'), writtenName('a.b')]).toEqual(['unit_price', undefined]);
    expect([writtenValue('paid'), writtenValue('new york'), writtenValue('a "b"'), writtenValue(`a"b'`)]).toEqual([
      'paid',
      '"new york"',
      `'a "b"'`,
      undefined,
    ]);
    expect([writtenValue('-5'), writtenValue('NULL'), writtenValue('>2')]).toEqual(['"-5"', '"NULL"', '">2"']);
  });

  it('case 29: sees a quote that is not closed, and takes an apostrophe for none', () => {
    expect(openQuote('ada "new yo')).toBe(4);
    expect(openQuote(`"o'brien" o'brien`)).toBeUndefined();
    expect(openQuote("status:'pa")).toBe(7);
  });
});
