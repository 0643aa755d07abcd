import { expect, it } from 'vitest';
import { parseNumber } from '#cli/flags/number-argument';
import { isCloudError } from '#kernel/errors/cloud-error';
import { readSources } from '../../../architecture/source-tree.ts';

it.each([
  ['1', 1],
  ['41', 41],
  ['007', 7],
])('the argument %s is read as the number %i', (text, number) => {
  expect(parseNumber(text)).toBe(number);
});

it.each(['', 'nope', '0', '-1', '1.5', '1e3', ' 1', '99999999999999999999'])(
  'the argument "%s" is refused as a wrong call, not as a bug',
  (text) => {
    const refused = () => parseNumber(text);
    expect(refused).toThrow(`"${text}" is not a number.`);
    expect(refused).toThrow(expect.toSatisfy((error) => isCloudError(error) && error.code === 'USAGE_INVALID'));
  },
);

it('a credential in place of a number is not repeated', () => {
  expect(() => parseNumber(`vcu_${'a1'.repeat(32)}`)).toThrow('"…" is not a number.');
});

it('every argument of a command that is a number is refused that way', async () => {
  const files = readSources('src/commands').filter(({ text }) => /\bstatic override args\b/.test(text));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter(({ text }) => /\binteger\b.*'@oclif\/core\/args'/.test(text)).map(({ path }) => path)).toEqual(
    [],
  );
});
