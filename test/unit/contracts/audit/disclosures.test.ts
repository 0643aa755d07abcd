import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commitmentsOf,
  disclosedRow,
  disclosedText,
  exportedValues,
  type RowParts,
  takeOutValues,
  withheld,
} from '#contracts/audit/disclosures';
import { rangesOf, readRanges } from '#contracts/audit/erasure';
import { BrokenLog } from '#contracts/audit/verdict';
import { canonicalJson } from '#kernel/json/canonical-json';

const salt = 'abcdefghijklmnopqrst-_';
const user = { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada "L" [x]}' };
const place = { chain: 'c', createdAt: 'now', sequence: 3, version: 2 };

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function part(row: object, places: readonly string[]): RowParts {
  return withheld({ ...row, ...place }, places, () => salt);
}

describe('personal values of a row', () => {
  it('are committed to by 2, `audit/v2`, their place, 0, their salt and their canonical JSON', () => {
    const { body, disclosed } = part({ action: 'update', user }, ['user']);
    const json = canonicalJson(user);
    expect(JSON.parse(body)).toEqual({
      action: 'update',
      ...place,
      committed: { user: sha256(`\u0002audit/v2user\0${salt}${json}`) },
    });
    expect(disclosed).toBe(`{"user":["${salt}",${json}]}`);
  });

  it('come from objects and from lists, where null stays', () => {
    const row = { newValue: { user, role: 'a', sentences: ['one', 'two'] }, address: '::1' };
    const parts = part(row, ['address', 'newValue.sentences.1', 'newValue.user']);
    expect(JSON.parse(parts.body)).toMatchObject({ newValue: { role: 'a', sentences: ['one', null] } });
    expect(parts.body).not.toMatch(/ada|::1|two/);
    expect(disclosedRow(parts)).toEqual({ row: { ...row, ...place }, erased: [] });
  });

  it('are missing where they were erased, and their places are known', () => {
    const { body, disclosed } = part({ user, address: '::1' }, ['address', 'user']);
    const { address } = JSON.parse(disclosed ?? '');
    expect(disclosedRow({ body, disclosed: disclosedText({ address }) })).toEqual({
      row: { ...place, address: '::1' },
      erased: ['user'],
    });
    expect(disclosedRow({ body, disclosed: disclosedText({}) })).toEqual({ row: place, erased: ['address', 'user'] });
  });

  const names = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed());
  const rows = fc.record({
    label: names,
    address: names,
    recordIds: fc.array(names),
    newValue: fc.record({
      user: fc.record({ id: fc.nat(), email: names }),
      email: names,
      list: fc.array(names, { minLength: 1 }),
    }),
    user: fc.record({ id: fc.nat(), email: names, username: names, object: fc.constant('user') }),
  });
  const places = fc
    .shuffledSubarray(['address', 'newValue.email', 'newValue.list.0', 'newValue.user', 'user'])
    .map((chosen) => chosen.sort());

  it('are in an export where they were, and are taken out of it again, whatever they say', () => {
    fc.assert(
      fc.property(rows, places, (row, chosen) => {
        const parts = part(row, chosen);
        const text = exportedValues(parts);
        const { salts, committed, ...shown } = JSON.parse(`${text}}`) as Record<string, unknown>;
        expect(shown).toEqual({ ...row, ...place });
        expect(salts).toEqual(chosen.length === 0 ? undefined : Object.fromEntries(chosen.map((each) => [each, salt])));
        const expected = { body: parts.body, disclosed: committed ?? {} };
        expect(takeOutValues(JSON.parse(`${text}}`) as Record<string, unknown>, 3)).toEqual(expected);
        expect(commitmentsOf(parts.disclosed, 3)).toEqual(expected.disclosed);
      }),
    );
  });

  it.each([
    ['no JSON', '{"user":['],
    ['a list', '[]'],
    ['blanks between', `{"a": ["${salt}","b"]}`],
    ['a salt that is too short', '{"a":["short","b"]}'],
    ['no salt', '{"a":["b"]}'],
    ['members in another order', `{"b":["${salt}",1],"a":["${salt}",1]}`],
  ])('are refused as %s', (_what, text) => {
    expect(() => commitmentsOf(text, 3)).toThrow(BrokenLog);
  });

  it.each([
    ['salts that are not an object', { salts: 1 }],
    ['a salt that is not a text', { salts: { user: 1 }, user }],
    ['a place without a value', { salts: { user: salt } }],
    ['a place below a text', { salts: { 'user.name': salt }, user: 'ada' }],
  ])('are refused in an export with %s', (_what, row) => {
    expect(() => takeOutValues(row, 3)).toThrow(BrokenLog);
  });
});

describe('the rows of an erasure', () => {
  it('are written as ranges', () => {
    expect(rangesOf([3, 4, 5, 9, 11, 12])).toBe('3-5,9,11-12');
    expect(rangesOf([])).toBe('');
  });

  it('are read as they were written', () => {
    const sequences = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 1 });
    fc.assert(
      fc.property(sequences, (given) => {
        const sorted = given.toSorted((one, other) => one - other);
        const read = readRanges(rangesOf(sorted)) ?? [];
        expect(read.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at))).toEqual(
          sorted,
        );
      }),
    );
  });

  it.each(['', '0', '5-3', '3,2', '3-5,5', '1,', 'a', '1-', ' 1'])('are not read from "%s"', (text) => {
    expect(readRanges(text)).toBeUndefined();
  });
});
