import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';

/** How records stand in a file: rows of CSV with a header, or one JSON object a line. */
export const dataFormats = ['csv', 'ndjson'] as const;
export type DataFormat = (typeof dataFormats)[number];

/** The end of the name of a column that says how SQLite stores the value of another one. No column has a colon in its name. */
export const storedEnd = ':stored';

/** The format that the end of a file name tells. Throws `USAGE_INVALID`. */
export function formatOfFile(file: string): DataFormat {
  const end = path.extname(file).toLowerCase();
  if (end === '.csv') return 'csv';
  if (end === '.ndjson' || end === '.jsonl') return 'ndjson';
  throw cloudError(
    'USAGE_INVALID',
    `The name of ${file} tells no format.`,
    'End it with .csv or .ndjson, or name the format: --format csv',
  );
}
