/** How far a search has been read. */
export interface SearchReader {
  readonly text: string;
  at: number;
  /** How many groups are open. */
  depth: number;
  terms: number;
}

const space = /\s/;
const negativeNumber = /-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy;
const propertyName = /[^\s:()'"]+:/y;

/** Whether no term goes on at the position. */
export function isBoundary({ text, depth }: SearchReader, position: number): boolean {
  const sign = text[position];
  return sign === undefined || space.test(sign) || (sign === ')' && depth > 0);
}

/** Whether the text, or the group, has no more terms. */
export function isAtEnd(reader: SearchReader): boolean {
  skipSpace(reader);
  return isBoundary(reader, reader.at);
}

export function skipSpace(reader: SearchReader): void {
  while (space.test(reader.text[reader.at] ?? '')) reader.at += 1;
}

/** Up to a space, or to the parenthesis that closes the group and not one of the word. */
export function readWord(reader: SearchReader): string {
  const { text, at: start, depth } = reader;
  for (let open = 0; reader.at < text.length; reader.at += 1) {
    const sign = text[reader.at] ?? '';
    if (sign === '(') open += 1;
    else if (sign === ')' && open > 0) open -= 1;
    else if (space.test(sign) || (sign === ')' && depth > 0)) break;
  }
  return text.slice(start, reader.at);
}

/** A word that is a number below zero, as opposed to a negated word. */
export function readNegativeNumber(reader: SearchReader): string | undefined {
  negativeNumber.lastIndex = reader.at;
  const [number] = negativeNumber.exec(reader.text) ?? [];
  if (number === undefined || !isBoundary(reader, reader.at + number.length)) return undefined;
  reader.at += number.length;
  return number;
}

/** The text between quotes, up to the next quote of the same kind; `undefined` when it does not end where a term may. */
export function readPhrase(reader: SearchReader): string | undefined {
  const { text, at } = reader;
  const end = text.indexOf(text[at] ?? '', at + 1);
  if (end === -1 || !isBoundary(reader, end + 1)) return undefined;
  reader.at = end + 1;
  return text.slice(at + 1, end);
}

/** The name before a colon that something follows. */
export function readPropertyName(reader: SearchReader): string | undefined {
  propertyName.lastIndex = reader.at;
  const [name] = propertyName.exec(reader.text) ?? [];
  if (name === undefined || isBoundary(reader, reader.at + name.length)) return undefined;
  reader.at += name.length;
  return name.slice(0, -1);
}

/** A keyword stands between two operands; elsewhere it is a word. */
export function isKeyword(reader: SearchReader, keyword: 'AND' | 'OR'): boolean {
  skipSpace(reader);
  const { text, at } = reader;
  if (!text.startsWith(keyword, at) || !space.test(text[at + keyword.length] ?? '')) return false;
  let next = at + keyword.length;
  while (space.test(text[next] ?? '')) next += 1;
  return !isBoundary(reader, next);
}

export function takeKeyword(reader: SearchReader, keyword: 'AND' | 'OR'): boolean {
  const isThere = isKeyword(reader, keyword);
  if (isThere) reader.at += keyword.length;
  return isThere;
}
