import type { ColumnType } from '#contracts/column-type';

export { type ColumnType, type PrimitiveType, primitiveTypes } from '#contracts/column-type';

/** How code may call a type beside: `File` is bytes that travel as a data URI, `Timeonly` another word for `Time`. */
export type DeclaredType = ColumnType | 'File' | 'Timeonly';
