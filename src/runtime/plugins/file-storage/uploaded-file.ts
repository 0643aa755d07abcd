import { cloudError } from '#kernel/errors/cloud-error';
import { contentDisposition } from '#kernel/text/content-disposition';
import type { UriFile } from '../../query/file-uri.ts';
import { customizationFailed } from '../../user-code/call-handler.ts';
import { ValidationError } from '../../user-code/refusals.ts';
import type { NewFile } from './file-bucket.ts';
import type { FileField } from './file-field.ts';

const mediaType = /^[\w.+-]+\/[\w.+-]+$/;
const charsetName = /^[\w.:+-]+$/;

/** Throws `ValidationError` for a file that the field does not take, and `REQUEST_TOO_LARGE` for a large one. */
export function checkFile({ fieldName, maxSizeBytes, allowedTypes }: FileField, file: UriFile): void {
  if (file.buffer.byteLength > maxSizeBytes) {
    throw cloudError(
      'REQUEST_TOO_LARGE',
      `The file of "${fieldName}" has ${file.buffer.byteLength} bytes; ${maxSizeBytes} are allowed.`,
      'Send a smaller file.',
      { details: { field: fieldName } },
    );
  }
  const type = file.mimeType.toLowerCase();
  const isAllowed = allowedTypes?.some((allowed) => isOfType(type, allowed.toLowerCase())) ?? true;
  if (isAllowed) return;
  throw new ValidationError(`The file of "${fieldName}" must be one of ${allowedTypes?.join(', ')}.`, {
    field: fieldName,
  });
}

/** `image/*` allows every type that begins so. */
function isOfType(type: string, allowed: string): boolean {
  return allowed.endsWith('/*') ? type.startsWith(allowed.slice(0, -1)) : type === allowed;
}

/** The headers that the store keeps with a file. */
export function headersOf(
  { contentType, contentDisposition: kind }: FileField,
  file: UriFile,
): Pick<NewFile, 'contentType' | 'contentDisposition'> {
  return { contentType: typeOf(contentType, file), contentDisposition: contentDisposition(file.name, kind) };
}

function typeOf(choose: FileField['contentType'], file: UriFile): string {
  const chosen: unknown = choose?.(file);
  if (choose && (typeof chosen !== 'string' || !/^[\x20-\x7e]+$/.test(chosen))) {
    throw customizationFailed('"contentType" of a file field gave no media type.');
  }
  if (typeof chosen === 'string') return chosen;
  if (!mediaType.test(file.mimeType)) return 'application/octet-stream';
  const { charset } = file;
  return charset !== undefined && charsetName.test(charset) ? `${file.mimeType}; charset=${charset}` : file.mimeType;
}
