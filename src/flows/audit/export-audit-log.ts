import path from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogInput } from './connect-to-audit-log.ts';
import { readExport } from './read-export.ts';

export interface ExportInput extends LogInput {
  /** Where the lines go. A file that is there already is continued. */
  readonly file: string;
}

export interface ExportedLog {
  readonly file: string;
  /** Rows of this run. */
  readonly rows: number;
  readonly wasContinued: boolean;
}

/** Write a whole log to a file of JSON lines, which `audit verify --file` verifies, or go on with such a file. */
export async function exportLog(context: FlowContext, input: ExportInput): Promise<ExportedLog> {
  const file = path.resolve(context.workingFolder, input.file);
  const access = await connectToLog(context, input);
  const place = (await context.fs.exists(file)) ? await placeIn(context, file) : undefined;
  if (place) await context.fs.truncate(file, place.bytes);
  let rows = 0;
  await context.reporter.step('Exporting the log', async () => {
    for await (const { text } of readExport(access, {}, place?.cursor)) {
      await context.fs.append(file, text, { mode: 0o600 });
      rows += text.split('\n').filter((line) => line !== '' && !isControl(line)).length;
    }
  });
  return { file, rows, wasContinued: place?.cursor !== undefined };
}

/** Where the export can go on. What a cut left behind that place is written again. */
async function placeIn(
  context: FlowContext,
  file: string,
): Promise<{ readonly bytes: number; readonly cursor?: string }> {
  let place: { readonly bytes: number; readonly cursor?: string } = { bytes: 0 };
  let bytes = 0;
  for await (const lines of context.fs.readLines(file)) {
    for (const line of lines) {
      bytes += Buffer.byteLength(line);
      const found = cursorIn(line);
      if (found !== undefined) place = { bytes, cursor: found };
      else if (place.bytes === 0 && !isControl(line) && !line.includes('"previousHash"')) throw noExport(file);
    }
  }
  return place;
}

function cursorIn(line: string): string | undefined {
  if (!/^\{"object":"(?:checkpoint|end)".*\}\n$/.test(line)) return undefined;
  return (JSON.parse(line) as { readonly cursor: string }).cursor;
}

function noExport(file: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `${file} is not an export that can be continued.`,
    'Name another file, or remove this one.',
  );
}

function isControl(line: string): boolean {
  return /^\{"object":"(?:start|checkpoint|end)"/.test(line);
}
