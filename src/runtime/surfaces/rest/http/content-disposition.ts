const notInQuotes = /[^\x20-\x7e]|["\\%]/g;
const notInExtended = /[!'()*]/g;

/**
 * The header that gives a response a file name (RFC 6266). A name with other characters than ASCII is written twice: as
 * near as ASCII allows, and in the encoding of RFC 8187, which modern clients prefer.
 */
export function contentDisposition(filename: string): string {
  const name = fileNameOf(filename);
  const plain = name.replaceAll(notInQuotes, '_');
  if (plain === name) return `attachment; filename="${name}"`;
  const encoded = encodeURIComponent(name).replaceAll(notInExtended, percentEncoded);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** The last part of a path, without control characters; lone halves of a surrogate pair cannot be encoded. */
function fileNameOf(filename: string): string {
  const name = (filename.toWellFormed().split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, ' ').trim();
  return name === '' ? 'file' : name;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
