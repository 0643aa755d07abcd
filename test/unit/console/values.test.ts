import { describe, expect, it } from 'vitest';
import { later } from '../../../src/console/messages/en-later.ts';
import { textOf } from '../../../src/console/values/text-of.ts';
import { editableText, readTyped } from '../../../src/console/values/typed.ts';
import { isExactNumber, parseExactly, shareEqual } from '../../../src/console/wire/exact-json.ts';

const shown = (json: string, type: unknown, zone = 'UTC') => textOf(parseExactly(json), type, zone).text;

describe('values on the screen', () => {
  it.each([
    ['9007199254740993', 'Number', '9007199254740993'],
    ['"326.50"', 'Number', '326.50'],
    ['-0', 'Number', '-0'],
    ['1e400', 'Number', '1e400'],
    ['0', 'Number', '0'],
    ['""', 'String', '""'],
    ['null', 'String', 'null'],
    ['false', 'Boolean', 'false'],
    ['"2024-03-31"', 'Dateonly', '2024-03-31'],
    ['"0a1f"', 'Binary', '0a1f'],
    ['"<img onerror>"', 'String', '<img onerror>'],
    ['"09:30:00.123456"', 'Time', '09:30:00.123456'],
    ['"48.85,2.35"', 'Point', '48.85,2.35'],
    ['"0001-01-01T00:00:00.000Z"', 'Date', '0001-01-01 00:00:00+00:00'],
    ['"9999-12-31T23:59:59.000Z"', 'Date', '9999-12-31 23:59:59+00:00'],
    ['"not a date"', 'Date', 'not a date'],
    ['["a","b"]', ['String'], 'a, b'],
    ['[]', ['String'], '[]'],
    ['{"a":"x,]"}', 'Json', '{"a":"x,]"}'],
    ['{"a":12345678901234567890}', 'Json', '{"a":12345678901234567890}'],
  ])('shows %s of type %j as %s (cases 1 to 4)', (json, type, text) => {
    expect(shown(json, type)).toBe(text);
  });

  it('tells null, an empty text and other texts apart (case 3)', () => {
    const kinds = [null, '', 'null', '""'].map((value) => textOf(value, 'String', 'UTC').kind);
    expect(kinds).toEqual(['null', 'empty', 'plain', 'plain']);
  });

  it('shows an instant in the zone with the offset that held then', () => {
    expect(shown('"2026-03-28T23:30:00.000Z"', 'Date', 'Europe/Paris')).toBe('2026-03-29 00:30:00+01:00');
    expect(shown('"2026-03-29T01:30:00.250Z"', 'Date', 'Europe/Paris')).toBe('2026-03-29 03:30:00.250+02:00');
    expect(shown('"2026-06-01T00:00:00.000Z"', 'Date', 'Asia/Kathmandu')).toBe('2026-06-01 05:45:00+05:45');
  });

  it('keeps a date that belongs to no zone, wherever the person is (case 10)', () => {
    expect(shown('"2024-03-31"', 'Dateonly', 'Pacific/Pago_Pago')).toBe('2024-03-31');
  });

  it('shows characters that turn a line round, and those that nobody sees (case 8)', () => {
    expect(textOf('a\u202eb\u0000c\ud800', 'String', 'UTC').text).toBe('a\\u202eb\\u0000c\\ud800');
    expect(textOf('👩‍👧 é', 'String', 'UTC').text).toBe('👩‍👧 é');
  });

  it('renders 200 characters of a long text, and 20 items of a long list (cases 5 and 14)', () => {
    const text = textOf('x'.repeat(5_000_000), 'String', 'UTC');
    expect([text.text.length, text.isCut]).toEqual([201, true]);
    const list = textOf(
      Array.from({ length: 10_000 }, (_, index) => index),
      ['Number'],
      'UTC',
    );
    expect(list).toMatchObject({ text: expect.stringMatching(/, 19 … \(10000\)$/), isCut: true });
  });
});

describe('an answer that is read again', () => {
  const again = (before: string, now: string) => {
    const first = parseExactly(before);
    return { first, shared: shareEqual(first, parseExactly(now)) };
  };

  it('is the same object where nothing has changed, exact numbers included', () => {
    const { first, shared } = again('{"a":[1e400,{"b":null}]}', '{"a":[1e400,{"b":null}]}');
    expect(shared).toBe(first);
  });

  it.each([
    ['{"big":9007199254740993}', '{"big":9007199254740995}'],
    ['{"__proto__":1,"a":1}', '{"__proto__":2,"a":1}'],
    ['{"a":{"__proto__":{"b":1}}}', '{"a":{"__proto__":{"b":2}}}'],
    ['[1,2]', '[1]'],
    ['{"a":1}', '{}'],
    ['{"toString":1}', '{}'],
    ['{}', '{"constructor":null}'],
    ['null', '{"a":null}'],
    ['{"a":[]}', '{"a":{}}'],
  ])('turns %s into %s without loss', (before, now) => {
    expect(JSON.stringify(again(before, now).shared)).toBe(now);
  });

  it('keeps the parts that have not changed', () => {
    const { first, shared } = again('{"rows":[{"id":1},{"id":2}]}', '{"rows":[{"id":1},{"id":3}]}');
    const rows = (value: unknown) => (value as { rows: readonly unknown[] }).rows;
    expect(rows(shared)[0]).toBe(rows(first)[0]);
  });
});

describe('typed texts', () => {
  const read = (text: string, type: unknown, isExact = false, zone = 'Europe/Paris') =>
    readTyped(text, { type, isExact }, zone, later.typed);

  it.each([
    ['326.50', 'Number', true, '326.50'],
    ['363228830310334464', 'Number', true, '363228830310334464'],
    ['12.5', 'Number', false, 12.5],
    ['true', 'Boolean', false, true],
    ['2024-03-31', 'Dateonly', false, '2024-03-31'],
    ['09:30', 'Time', false, '09:30'],
    ['48.85, 2.35', 'Point', false, '48.85, 2.35'],
    ['a\nb', ['String'], false, ['a', 'b']],
    ['[1, 2]', ['Number'], false, [1, 2]],
    ['2026-01-31 09:30', 'Date', false, '2026-01-31T08:30:00.000Z'],
    ['2026-01-31 09:30:00+00:00', 'Date', false, '2026-01-31T09:30:00.000Z'],
    ['<img onerror>', 'String', false, '<img onerror>'],
  ])('reads %j as %j (cases 2 and 13)', (text, type, isExact, value) => {
    expect(read(text, type, isExact)).toEqual({ value });
  });

  it('sends the digits that were typed, though a number of JavaScript has fewer (case 1)', () => {
    const typed = read('9007199254740993', 'Number');
    const value = 'value' in typed ? typed.value : undefined;
    expect(isExactNumber(value)).toBe(true);
    expect(JSON.stringify({ value })).toBe('{"value":9007199254740993}');
  });

  it('sends JSON as it was typed, and repairs nothing (cases 6 and 7)', () => {
    const typed = read('{"a":"x,]","b":1.10}', 'Json');
    expect(JSON.stringify('value' in typed && typed.value)).toBe('{"a":"x,]","b":1.10}');
    expect(read('[{"__proto__":1}]', 'Json')).toEqual({ problem: later.typed.proto });
    expect(read('["__proto__"]', 'Json')).toEqual({ value: ['__proto__'] });
    expect(read('{"a":1,}', 'Json')).toEqual({ problem: expect.stringContaining('This is not JSON') });
  });

  it.each([
    ['1 000', 'Number', later.typed.number],
    ['0,82', 'Number', later.typed.number],
    ['31.03.2024', 'Dateonly', later.typed.date],
    ['9.30', 'Time', later.typed.time],
    ['tomorrow', 'Date', later.typed.instant('Europe/Paris')],
    ['1', 'Point', later.typed.point],
  ])('says why %j is not a %s', (text, type, problem) => {
    expect(read(text, type)).toEqual({ problem });
  });

  it('refuses a time that the clocks are set forward over, and asks which of two is meant (case 11)', () => {
    expect(read('2026-03-29 02:30', 'Date')).toEqual({ problem: later.typed.skipped('Europe/Paris') });
    expect(read('2026-10-25 02:30', 'Date')).toEqual({
      problem: later.typed.twice('Europe/Paris', '+02:00 or +01:00'),
    });
    expect(read('2026-10-25 01:30', 'Date')).toEqual({ value: '2026-10-24T23:30:00.000Z' });
    expect(read('2026-10-25 02:30+01:00', 'Date')).toEqual({ value: '2026-10-25T01:30:00.000Z' });
  });

  it.each([
    ['2024-02-29', 'Dateonly', { value: '2024-02-29' }],
    ['2026-02-29', 'Dateonly', { problem: later.typed.noDate }],
    ['1900-02-29', 'Dateonly', { problem: later.typed.noDate }],
    ['2026-13-01', 'Dateonly', { problem: later.typed.noDate }],
    ['0001-01-01', 'Dateonly', { value: '0001-01-01' }],
    ['9999-12-31', 'Dateonly', { value: '9999-12-31' }],
    ['23:59:59.123456', 'Time', { value: '23:59:59.123456' }],
    ['24:01', 'Time', { problem: later.typed.time }],
    ['2026-02-30 10:00', 'Date', { problem: later.typed.noTime }],
    ['2026-01-31 24:00', 'Date', { problem: later.typed.noTime }],
    ['0001-01-01 00:00', 'Date', { value: '0000-12-31T23:50:39.000Z' }],
    ['9999-12-31 23:59:59', 'Date', { value: '9999-12-31T22:59:59.000Z' }],
  ])('knows the calendar for %j of type %s (cases 12 and 13)', (text, type, typed) => {
    expect(read(text, type)).toEqual(typed);
  });

  it('is written back as it was read, in every form that JSON has for it', () => {
    const digits = (count: number) => Array.from({ length: count }, () => Math.floor(Math.random() * 10)).join('');
    for (let count = 0; count < 20_000; count += 1) {
      const whole = Math.random() < 0.2 ? '0' : `${1 + Math.floor(Math.random() * 9)}${digits(Math.random() * 20)}`;
      const fraction = Math.random() < 0.5 ? '' : `.${digits(1 + Math.random() * 10)}`;
      const exponent = Math.random() < 0.1 ? `e${digits(2)}` : '';
      const number = `${Math.random() < 0.3 ? '-' : ''}${whole}${fraction}${exponent}`;
      for (const json of [number, `[${number}]`, `{"a":${number},"b":"${number}"}`]) {
        expect(JSON.stringify(parseExactly(json))).toBe(json);
      }
    }
  });

  it.each([
    ['"0001-01-01T00:00:00.000Z"', 'Date'],
    ['"0001-12-31T23:59:59.250Z"', 'Date'],
    ['"9999-12-31T12:59:59.999Z"', 'Date'],
    ['"1890-05-05T05:05:05.000Z"', 'Date'],
    ['"2026-10-25T01:30:00.000Z"', 'Date'],
    ['"2026-06-01T10:00:00.000Z"', 'Date'],
    ['{"a":[1.10,null]}', 'Json'],
    ['["a","b"]', ['String']],
    ['"48.85,2.35"', 'Point'],
    ['"text"', 'String'],
  ])('reads the text of %s back to the same value', (json, type) => {
    const value = parseExactly(json);
    for (const zone of ['Europe/Paris', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'UTC']) {
      const typed = read(editableText(value, { type }, zone), type, false, zone);
      expect(JSON.stringify('value' in typed && typed.value)).toBe(json);
    }
  });

  it('are read as durations where a field has those, and as times of a day elsewhere', () => {
    const read = (text: string, isDuration: boolean) =>
      readTyped(text, { type: 'Time', isDuration }, 'UTC', later.typed);
    for (const text of ['120:30:00', '-05:00:00', '838:59:59', '-838:59:59', '09:30', '24:00:00', '100:00:00.5']) {
      expect(read(text, true)).toEqual({ value: text });
    }
    for (const text of ['839:00:00', '-5:00:00', '12:60:00', 'soon', '']) {
      expect(read(text, true)).toEqual({ problem: later.typed.duration });
    }
    for (const text of ['120:30:00', '-05:00:00']) expect(read(text, false)).toEqual({ problem: later.typed.time });
  });
});
