import { describe, expect, it } from 'vitest';
import { readCheck } from '#runtime/data-sources/checks/row-check';

/** A check, a row that keeps it, one that breaks it, and its columns. */
const checks: readonly (readonly [string, Record<string, unknown>, Record<string, unknown>])[] = [
  ["status in ('open', 'paid')", { status: 'paid' }, { status: 'gone' }],
  [
    "((status)::text = ANY ((ARRAY['open'::character varying, 'paid'::character varying])::text[]))",
    { status: 'open' },
    { status: 'gone' },
  ],
  ["(tier = ANY (ARRAY['a'::text, 'b'::text]))", { tier: 'a' }, { tier: 'c' }],
  ["(tier <> ALL (ARRAY['a'::text, 'b'::text]))", { tier: 'c' }, { tier: 'a' }],
  ["`status` in (_utf8mb4'open',_utf8mb4'paid')", { status: 'open' }, { status: 'x' }],
  ['percent between 0 and 50', { percent: 50 }, { percent: 51 }],
  ['percent not between 0 and 50', { percent: '51.5' }, { percent: '49.9' }],
  ['((price >= (0)::numeric) AND (price < (1000)::numeric))', { price: '999.99' }, { price: '1000.00' }],
  ['delta > -5 and delta <= 5', { delta: -4 }, { delta: -5 }],
  [
    'ends_at > starts_at',
    { starts_at: '2026-01-01', ends_at: '2026-01-02' },
    { starts_at: '2026-01-02', ends_at: '2026-01-02' },
  ],
  ["day >= '2020-01-01'::date", { day: '2026-05-05T00:00:00.000Z' }, { day: '2019-12-31' }],
  ['length(code) = 3', { code: 'abc' }, { code: 'abcd' }],
  ['char_length(trim("the name")) > 2', { 'the name': 'Ada' }, { 'the name': 'A  ' }],
  ["code ~ '^[A-Z]{2}-[0-9]+$'::text", { code: 'AB-12' }, { code: 'ab-12' }],
  ["code ~~ 'X%'::text", { code: 'X1' }, { code: 'Y1' }],
  ["email like '%@%'", { email: 'a@b' }, { email: 'ab' }],
  ["code glob '[A-Z]*'", { code: 'Abc' }, { code: 'abc' }],
  ['is_paid = 0 or paid_at is not null', { is_paid: true, paid_at: '2026-01-01' }, { is_paid: true, paid_at: null }],
  ['not (a = b)', { a: 1, b: 2 }, { a: 1, b: 1 }],
  ['subtotal + tax = total', { subtotal: '1.50', tax: '0.50', total: '2.00' }, { subtotal: 1, tax: 1, total: 3 }],
  ['abs(delta) <= 10 and delta % 2 = 0', { delta: -8 }, { delta: 7 }],
  ['cast(score as integer) <= 5', { score: 5 }, { score: 6 }],
  ['coalesce(discount, 0) < price', { discount: null, price: 1 }, { discount: 2, price: 1 }],
];

describe('a check of a table', () => {
  it.each(checks)('is read and worked out: %s', (text, kept, broken) => {
    const check = readCheck({ text });
    expect([check.holds?.(kept), check.holds?.(broken)]).toEqual([true, false]);
    expect(check.columns.toSorted()).toEqual(Object.keys(kept).toSorted());
  });

  it('holds for null, as in SQL, unless it asks for it', () => {
    expect(readCheck({ text: 'percent < 50' }).holds?.({ percent: null })).toBeNull();
    expect(readCheck({ text: 'percent is not null' }).holds?.({ percent: null })).toBe(false);
  });

  it('a check of a domain is about the column', () => {
    const check = readCheck({ text: '(VALUE > 0)', valueColumn: 'amount' });
    expect([check.columns, check.holds?.({ amount: 0 })]).toEqual([['amount'], false]);
  });

  it('tells its constants, which values are tried by', () => {
    expect(readCheck({ text: "a between -3 and 7.5 or b in ('x', 'y')" }).constants).toEqual([-3, 7.5, 'x', 'y']);
  });

  it.each([
    "json_extract(doc, '$.n') > 3",
    'a > (select max(b) from c)',
    "case when a then b else c end = 'x'",
    "ends > starts + interval '1 day'",
    'a >',
    '',
  ])('is reported as unreadable where a part is not understood: %s', (text) => {
    expect(readCheck({ text }).holds).toBeUndefined();
  });
});
