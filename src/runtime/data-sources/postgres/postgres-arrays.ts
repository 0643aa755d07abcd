/** A list as PostgreSQL writes it: `{1,NULL,"a \"b\""}`, lists in it included. Items are texts already. */
export type ArrayItem = string | null | readonly ArrayItem[];

export function writeArray(items: readonly ArrayItem[]): string {
  return `{${items.map(writeItem).join(',')}}`;
}

function writeItem(item: ArrayItem): string {
  if (item === null) return 'NULL';
  if (typeof item !== 'string') return writeArray(item);
  return `"${item.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`;
}

/** The items of `{…}`; bounds before it, as in `[0:1]={…}`, are left out. */
export function readArray(text: string): ArrayItem[] {
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0;
  return readItems({ text, position: start + 1 });
}

interface Cursor {
  readonly text: string;
  position: number;
}

/** From behind an opening brace to behind its closing one. */
function readItems(cursor: Cursor): ArrayItem[] {
  const items: ArrayItem[] = [];
  const { text } = cursor;
  while (cursor.position < text.length) {
    const sign = text[cursor.position];
    if (sign === '}') {
      cursor.position += 1;
      return items;
    }
    if (sign === ',') cursor.position += 1;
    else if (sign === '{') {
      cursor.position += 1;
      items.push(readItems(cursor));
    } else items.push(sign === '"' ? readQuoted(cursor) : readBare(cursor));
  }
  return items;
}

function readQuoted(cursor: Cursor): string {
  const { text } = cursor;
  let item = '';
  let position = cursor.position + 1;
  for (; text[position] !== '"' && position < text.length; position++) {
    if (text[position] === '\\') position += 1;
    item += text[position];
  }
  cursor.position = position + 1;
  return item;
}

function readBare(cursor: Cursor): string | null {
  const { text, position } = cursor;
  let end = position;
  while (end < text.length && text[end] !== ',' && text[end] !== '}') end += 1;
  cursor.position = end;
  const item = text.slice(position, end);
  return item === 'NULL' ? null : item;
}
