import type { OutlinedCollection, OutlinedPart } from '#contracts/compare-outlines';

/** `  orders: {`, `    fields: {` and `      total: number;`, as they are generated. */
const collectionLine = /^ {2}(?<name>\S.*): \{$/;
const groupLine = /^ {4}(?<group>fields|relations): \{$/;
const memberLine = /^ {6}(?<mark>readonly )?(?<name>\S[^:]*): (?<type>.*);$/;

/** What generated types say of each collection. */
export function outlineOfTypings(text: string): readonly OutlinedCollection[] {
  const collections: {
    readonly name: string;
    readonly facts: OutlinedCollection['facts'];
    readonly parts: OutlinedPart[];
  }[] = [];
  let kind: OutlinedPart['kind'] = 'field';
  for (const line of text.split('\n')) {
    const collection = collectionLine.exec(line)?.groups?.['name'];
    if (collection !== undefined) collections.push({ name: collection, facts: {}, parts: [] });
    const group = groupLine.exec(line)?.groups?.['group'];
    if (group !== undefined) kind = group === 'fields' ? 'field' : 'relation';
    const { mark = '', name, type } = memberLine.exec(line)?.groups ?? {};
    if (name === undefined || type === undefined) continue;
    collections.at(-1)?.parts.push({ kind, name, facts: { type: `${mark}${type}` } });
  }
  return collections;
}
