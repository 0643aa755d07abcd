import { describe, expect, it } from 'vitest';
import { fileUriOf, parseFileUri } from '#runtime/query/file-uri';

describe('a file in a data URI', () => {
  it('comes as a data URI with its name and charset', () => {
    const file = parseFileUri('data:text/plain;name=caf%C3%A9%3B.txt;charset=utf-8;base64,aGk=');
    expect(file).toEqual({ name: 'café;.txt', mimeType: 'text/plain', charset: 'utf-8', buffer: Buffer.from('hi') });
    expect(parseFileUri('data:;base64,')).toMatchObject({ name: 'file', mimeType: 'application/octet-stream' });
    expect(parseFileUri('data:a/b;name=100%;base64,')?.name).toBe('100%');
  });

  it('leaves as it came', () => {
    const uri = 'data:text/plain;name=caf%C3%A9%3B.txt;charset=utf-8;base64,aGk=';
    const file = parseFileUri(uri);
    expect(file && fileUriOf(file)).toBe(uri);
  });

  it.each([
    'data:text/plain,hello',
    'text/plain;base64,aGk=',
    'data:text/plain;base64,a!k=',
    'data:a/b;base64,abc',
    '',
    1,
  ])('finds nothing in %j', (text) => {
    expect(parseFileUri(text)).toBeUndefined();
  });
});
