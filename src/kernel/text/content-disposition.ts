const notInQuotes = /[^\x20-\x7e]|["\\%]/g;
const notInExtended = /[!'()*]/g;

/**
 * The header that gives a response a file name (RFC 6266). A name with other characters than ASCII is written twice: as
 * near as ASCII allows, and in the encoding of RFC 8187, which modern clients prefer.
 */
export function contentDisposition(filename: string, kind: 'attachment' | 'inline' = 'attachment'): string {
  const name = bareFileName(filename);
  const plain = name.replaceAll(notInQuotes, '_');
  if (plain === name) return `${kind}; filename="${name}"`;
  const encoded = encodeURIComponent(name).replaceAll(notInExtended, percentEncoded);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** The last part of a path, without control characters; lone halves of a surrogate pair cannot be encoded. */
export function bareFileName(filename: string): string {
  const name = (filename.toWellFormed().split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, ' ').trim();
  return name === '' ? 'file' : name;
}
