import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { visibleJson } from '../render/text-form.ts';
import { type NamedRecord, readRecordUri, recordUriTemplate } from './record-uri.ts';

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

/** The record at an address. Throws `ResourceNotFoundError` where there is none, and a `ProtocolError` for other refusals. */
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
