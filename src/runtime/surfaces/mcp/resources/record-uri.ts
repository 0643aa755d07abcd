import type { RecordId } from '../tools/record-id.ts';

/** The record that an address names. */
export interface NamedRecord {
  readonly collection: string;
  readonly id: RecordId;
}

/** How clients make the address of a record. A key of several columns has a segment for each. */
export const recordUriTemplate = 'vendor-cloud://{collection}/{id}';

/** The record of an address; `undefined` for any other address. Names and ids are encoded, so that each has its characters. */
export function readRecordUri(uri: string): NamedRecord | undefined {
  const [, name = '', path = ''] = /^vendor-cloud:\/\/([^/?#]+)((?:\/[^/?#]+)+)$/.exec(uri) ?? [];
  const [collection, ...key] = [name, ...path.split('/').slice(1)].map(decoded);
  const parts = key.filter((part) => part !== undefined);
  const [id] = parts;
  if (!collection || id === undefined || parts.length < key.length) return undefined;
  return { collection, id: parts.length === 1 ? id : parts };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
