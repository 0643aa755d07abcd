/** The last part of a path, without control characters; lone halves of a surrogate pair cannot be encoded. */
export function bareFileName(filename: string): string {
  const name = (filename.toWellFormed().split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, ' ').trim();
  return name === '' ? 'file' : name;
}
