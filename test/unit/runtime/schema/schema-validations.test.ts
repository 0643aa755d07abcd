import { describe, expect, it } from 'vitest';
import { rulesOfBytes, schemaValidations } from '#runtime/schema/schema-validations';

const plain = (...rules: Parameters<typeof schemaValidations>) =>
  schemaValidations(...rules).map(({ type, value }) => (value === undefined ? type : [type, value]));

describe('the validations of the schema document', () => {
  it('hold presence once, whether the database or the customization asks for it', () => {
    expect(plain(true, [])).toEqual(['is present']);
    expect(plain(true, [{ operator: 'Present', value: undefined }])).toEqual(['is present']);
  });

  it('hold the strictest of several bounds', () => {
    const rules = [5, 9, 7].flatMap((value) => [
      { operator: 'LongerThan' as const, value },
      { operator: 'LessThan' as const, value },
    ]);
    expect(plain(false, rules)).toEqual([
      ['is less than', 5],
      ['is longer than', 9],
    ]);
  });

  it('bring patterns together in one, and leave out what a client cannot check', () => {
    const rules = [
      { operator: 'Match' as const, value: /^a/ },
      { operator: 'Like' as const, value: '%z' },
      { operator: 'Past' as const, value: undefined },
    ];
    const [[type, source] = []] = plain(false, rules) as string[][];
    expect(type).toBe('is like');
    const [, body = '', flags] = /^\/(.*)\/(\w*)$/.exec(source ?? '') ?? [];
    const pattern = new RegExp(body, flags);
    expect(['a z', 'ab', 'bz'].map((text) => pattern.test(text))).toEqual([true, false, false]);
    expect(plain(false, rules)).toHaveLength(1);
  });
});

describe('the validations of bytes', () => {
  it('are about the text that stands for them', () => {
    const rules = [{ operator: 'ShorterThan' as const, value: 17 }];
    const [[, hex = ''] = [], [, bound] = []] = plain(false, rulesOfBytes('hex', rules)).map(
      (rule) => rule as string[],
    );
    expect([hex, bound]).toEqual(['/^[0-9a-f]*$/i', 33]);
    expect(plain(true, rulesOfBytes('datauri', rules))).toEqual([['is like', '/^data:.*;base64,.*/'], 'is present']);
  });
});
