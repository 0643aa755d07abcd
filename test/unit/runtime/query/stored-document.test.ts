import { expect, it } from 'vitest';
import { overwrittenNumber, parseStoredDocument } from '#runtime/query/stored-document';

it.each([
  ['{"n":12345678901234567890}', '12345678901234567890'],
  ['[[-9007199254740993]]', '-9007199254740993'],
  ['{"n":0.12345678901234567890123}', '0.12345678901234567890123'],
  ['{"n":1e400}', '1e400'],
])('a number that JavaScript rounds is known when the document is written back: %s', (text, digits) => {
  const document = parseStoredDocument(text);
  expect(overwrittenNumber(document, JSON.parse(JSON.stringify({ document, more: 1 })))).toBe(digits);
  expect(overwrittenNumber(document, {})).toBeUndefined();
});

it.each([
  '{"n":9007199254740991}',
  '{"n":0.10000000000000001}',
  '{"n":1.5000000000000000000}',
  '{"n":1e21,"m":1E+30}',
  '{"n":"12345678901234567890","o":"\\"12345678901234567890"}',
])('nothing is said of a document that loses nothing: %s', (text) => {
  const document = parseStoredDocument(text);
  expect(overwrittenNumber(document, { document })).toBeUndefined();
});
