import type { FormFieldType } from '../customizer/form-value.ts';
import { packedKey } from '../model/packed-id.ts';
import { fileUriOf, isActionFile } from './action-file.ts';

/** A value of a form as it is sent: keys packed, files as data URIs, instants in ISO 8601. `undefined` stays absent. */
export function encodeFieldValue(type: FormFieldType, value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (value instanceof Date) return type === 'Dateonly' ? value.toISOString().slice(0, 10) : value.toISOString();
  switch (type) {
    case 'Collection':
      return Array.isArray(value) ? packedKey(value) : value;
    case 'File':
      return isActionFile(value) ? fileUriOf(value) : value;
    case 'FileList':
      return Array.isArray(value) ? value.map((item) => encodeFieldValue('File', item)) : value;
    default:
      return value;
  }
}
