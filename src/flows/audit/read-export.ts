import { exportEndSchema } from '#contracts/audit/export-lines';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { LogParameters } from '#platform-client/audit-client';
import type { LogAccess } from './connect-to-audit-log.ts';

export interface ExportPart {
  /** Whole lines, each with its end. */
  readonly text: string;
  /** Goes on behind it. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** The most rows that are held at once. */
const rowsPerPart = 20_000;

/** A log as JSON lines, part by part, from a cursor to its end. */
export async function* readExport(
  { client, log }: LogAccess,
  parameters: LogParameters,
  after: string | undefined,
): AsyncGenerator<ExportPart> {
  let cursor = after;
  for (;;) {
    const text = await client.exportPart(log, { max: rowsPerPart, ...parameters, after: cursor });
    const end = lastLine(text);
    if (!end) throw cutOff();
    yield { text, cursor: end.cursor, hasMore: end.hasMore };
    if (!end.hasMore) return;
    if (end.cursor === cursor) throw rowsMissing();
    cursor = end.cursor;
  }
}

function lastLine(text: string) {
  const line = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  try {
    return exportEndSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function rowsMissing(): CloudError {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    'The platform says that the log goes on, and has no more rows.',
    'Have whoever runs the platform verify its store: `vendor-cloud platform verify`.',
  );
}

function cutOff(): CloudError {
  return cloudError(
    'PLATFORM_UNREACHABLE',
    'The platform cut the export off before its last line.',
    'Run the command again: it goes on where it stopped.',
  );
}
