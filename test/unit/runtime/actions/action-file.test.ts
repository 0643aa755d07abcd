import { describe, expect, it } from 'vitest';
import { fileUriOf, parseFileUri } from '#runtime/actions/action-file';
import { contentDisposition } from '#runtime/surfaces/rest/http/content-disposition';

describe('a file in a form', () => {
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
  ])('is none in %j', (text) => {
    expect(parseFileUri(text)).toBeUndefined();
  });
});

describe('the name of a download', () => {
  it.each([
    ['report.csv', 'attachment; filename="report.csv"'],
    ['', 'attachment; filename="file"'],
    ['../../etc/passwd', 'attachment; filename="passwd"'],
    ['C:\\a\\b.txt', 'attachment; filename="b.txt"'],
    ['a"b.txt', 'attachment; filename="a_b.txt"; filename*=UTF-8\'\'a%22b.txt'],
    ['été (1).txt', 'attachment; filename="_t_ (1).txt"; filename*=UTF-8\'\'%C3%A9t%C3%A9%20%281%29.txt'],
    ['100%.txt', 'attachment; filename="100_.txt"; filename*=UTF-8\'\'100%25.txt'],
    ['a\r\nSet-Cookie: x', 'attachment; filename="a  Set-Cookie: x"'],
    ['\ud800.txt', 'attachment; filename="_.txt"; filename*=UTF-8\'\'%EF%BF%BD.txt'],
  ])('%j is sent so that every browser reads it', (name, header) => {
    expect(contentDisposition(name)).toBe(header);
  });
});
