import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { visibleJson } from '../render/answer-text.ts';
import type { RecordId } from '../tools/record-ids.ts';

/** The record that an address names. */
interface NamedRecord {
  readonly collection: string;
  readonly id: RecordId;
}

/** How clients make the address of a record. A key of several columns has a segment for each. */
const recordUriTemplate = 'vendor-cloud://{collection}/{id}';

/** The record of an address; `undefined` for any other address. Names and ids are encoded, so that each has its characters. */
function readRecordUri(uri: string): NamedRecord | undefined {
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

/** Every record can be read as a resource. */
export const recordTemplate = {
  name: 'record',
  title: 'A record',
  uriTemplate: recordUriTemplate,
  description: 'One record of a collection, within your rights. A key of several columns has a segment for each.',
  mimeType: 'application/json',
};

/** Calls the tool that reads one record. */
export type ReadRecord = (record: NamedRecord) => Promise<CallToolResult>;

/** The record at an address. Throws `ResourceNotFoundError` if there is none, and a `ProtocolError` for other refusals. */
export async function readRecordResource(uri: string, readRecord: ReadRecord): Promise<ReadResourceResult> {
  const named = readRecordUri(uri);
  if (!named) throw new ResourceNotFoundError(uri);
  const { isError, content, structuredContent } = await readRecord(named);
  if (!isError) {
    const { record } = structuredContent as { readonly record: unknown };
    return { contents: [{ uri, mimeType: recordTemplate.mimeType, text: visibleJson(record) }] };
  }
  const [refusal] = content;
  const { error } = JSON.parse(refusal?.type === 'text' ? refusal.text : '{}');
  if (error?.code === 'REQUEST_NOT_FOUND') throw new ResourceNotFoundError(uri);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, error?.message ?? 'The record cannot be read.', error);
}
