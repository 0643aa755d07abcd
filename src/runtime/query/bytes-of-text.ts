/**
 * The bytes that a validated text stands for, the same wherever it is read. The text is a data URI by RFC 2397, whose `%xx` are
 * bytes in either of its forms, or hexadecimal. A percent sign that begins no byte stands for itself.
 *
 * @example
 * bytesOfText('data:,a%00%FF'); // 61 00 ff
 * bytesOfText('data:text/plain;base64,aGk%3D'); // 68 69
 */
export function bytesOfText(text: string): Uint8Array {
  const [, header, body] = /^data:([^,]*),(.*)$/is.exec(text) ?? [];
  if (header === undefined || body === undefined) return Buffer.from(text, 'hex');
  const bytes = unescaped(body);
  return /; *base64$/i.test(header) ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes;
}

function unescaped(body: string): Buffer {
  const bytes = Buffer.from(body, 'utf8');
  if (!body.includes('%')) return bytes;
  // A character for each byte.
  const text = bytes.toString('latin1');
  return Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_escape, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    'latin1',
  );
}
