import type { ColumnType } from '#contracts/saved-schema';

export { type ColumnType, type PrimitiveType, primitiveTypes } from '#contracts/saved-schema';

/** How code may call a type beside: `File` is bytes that travel as a data URI, `Timeonly` another word for `Time`. */
export type DeclaredType = ColumnType | 'File' | 'Timeonly';
