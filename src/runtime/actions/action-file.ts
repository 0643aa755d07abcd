import type { ActionFile } from '../customizer/form-value.ts';

export function isActionFile(value: unknown): value is ActionFile {
  if (typeof value !== 'object' || value === null || !('buffer' in value)) return false;
  return value.buffer instanceof Uint8Array && 'name' in value && 'mimeType' in value;
}
