import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type AnyFormField, fieldId } from '../customizer/form-element.ts';
import type { ActionFile, FormFieldType } from '../customizer/form-value.ts';
import type { CompiledCollection, ModelView } from '../model/compiled-model.ts';
import { packedKey, unpackId } from '../model/record-id.ts';
import { fileUriOf, parseFileUri } from '../query/file-uri.ts';
import { actionFailed } from './action-code.ts';
import type { FormInput } from './evaluated-form.ts';

/** What the values are decoded with. */
interface Decoding {
  readonly model: ModelView;
  /** `lenient` keeps a text that is not a data URI, for a form that somebody is filling in. */
  readonly files: 'strict' | 'lenient';
}

type DecodeValue = (decoding: Decoding, field: AnyFormField, sent: unknown, collectionName: unknown) => unknown;

/** For the types whose values a client sends in another form than the code of an action gets them in. */
const decoders: Partial<Record<FormFieldType, DecodeValue>> = {
  Collection: ({ model }, field, sent, name) => decodeKey(collectionOfField(model, field, name), fieldId(field), sent),
  File: ({ files }, field, sent) => decodeFile(files, fieldId(field), sent),
  FileList: ({ files }, field, sent) => {
    const id = fieldId(field);
    if (sent === null || sent === undefined) return null;
    if (Array.isArray(sent)) return sent.map((item) => decodeFile(files, id, item)).filter((item) => item !== null);
    throw invalidField(id, 'must be a list of files.', 'Send a list of data URIs.');
  },
};

export function isDecoded(type: FormFieldType): boolean {
  return decoders[type] !== undefined;
}

/** Decodes the values of a form that a client sent: a packed id to the key of a record, a data URI to a file. */
export function formValueDecoder(model: ModelView, files: Decoding['files']): FormInput['decode'] {
  return (field, sent, collectionName) => {
    const decode = decoders[field.type];
    return decode ? decode({ model, files }, field, sent, collectionName) : sent;
  };
}

function decodeFile(files: Decoding['files'], id: string, sent: unknown): unknown {
  if (sent === null || sent === undefined || sent === '') return null;
  const file = parseFileUri(sent);
  if (file) return file;
  if (files === 'lenient' && typeof sent === 'string') return sent;
  throw invalidField(id, 'must be a file.', 'Send a data URI: data:<type>;name=<name>;base64,<content>.');
}

/** The collection a Collection field picks from. Throws `CUSTOMIZATION_FAILED` if there is none, or it has no key. */
export function collectionOfField(model: ModelView, field: AnyFormField, name: unknown): CompiledCollection {
  const collection = typeof name === 'string' ? model.collections.get(name) : undefined;
  if (collection && collection.primaryKey.length > 0) return collection;
  const problem = collection ? 'has no primary key' : 'does not exist';
  throw actionFailed(`The field "${fieldId(field)}" picks from the collection "${String(name)}", which ${problem}.`);
}

function decodeKey(collection: CompiledCollection, id: string, sent: unknown): unknown {
  if (sent === null || sent === undefined || sent === '') return null;
  try {
    return unpackId(collection, sent);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    throw invalidField(id, `does not name a record: ${error.message}`, 'Send the packed id of a record.');
  }
}

/** Encodes a value of a form for a client: keys packed, files as data URIs, instants in ISO 8601. `undefined` stays `undefined`. */
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

/** The form does not take a value. The message and the details name the field. */
export function invalidField(field: string, problem: string, nextStep: string): CloudError {
  return cloudError('REQUEST_INVALID', `The field "${field}" of the form ${problem}`, nextStep, { details: { field } });
}

export function isActionFile(value: unknown): value is ActionFile {
  if (typeof value !== 'object' || value === null || !('buffer' in value)) return false;
  return value.buffer instanceof Uint8Array && 'name' in value && 'mimeType' in value;
}
