import { type ActionFile, fileUriOf } from '#runtime/index';
import { packId, type RecordId } from '../wire/record-id.ts';
import type { FormFieldDocument } from './form-document.ts';

/** A value as the agent takes it: files as data URIs, keys packed, dates as ISO 8601 texts. */
export function encodeFormValue(field: FormFieldDocument, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return field.type === 'Dateonly' ? value.toISOString().slice(0, 10) : value.toISOString();
  if (isFile(value)) return fileUriOf(value);
  if (typeof field.reference === 'string') return packId(value as RecordId);
  if (Array.isArray(value)) return value.map((item) => (isFile(item) ? fileUriOf(item) : item));
  return value;
}

function isFile(value: unknown): value is ActionFile {
  return typeof value === 'object' && value !== null && 'buffer' in value && value.buffer instanceof Uint8Array;
}
