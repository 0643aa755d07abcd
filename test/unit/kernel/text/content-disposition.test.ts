import { describe, expect, it } from 'vitest';
import { contentDisposition } from '#kernel/text/content-disposition';

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

  it('can be that of a file to show', () => {
    expect(contentDisposition('photo.png', 'inline')).toBe('inline; filename="photo.png"');
  });
});
