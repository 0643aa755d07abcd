import { cloudError } from '#kernel/errors/cloud-error';
import type { LogBatch, LogLine, TailFormat } from './log-sink.ts';

export interface ExportBatches {
  readonly batches: readonly LogBatch[];
  /** Goes on behind the last row; the cursor that was sent where there are no new rows. `undefined` for a log without any row. */
  readonly cursor: string | undefined;
  readonly hasMore: boolean;
}

interface Control {
  readonly object: 'start' | 'checkpoint' | 'end';
  readonly cursor?: string;
  readonly hasMore?: boolean;
}

/**
 * The text of an export, cut where the platform says that it can go on.
 *
 * @throws `PLATFORM_FAILED` for an export whose last line is missing.
 */
export function batchesOf(text: string, format: TailFormat): ExportBatches {
  if (text === '') return { batches: [], cursor: undefined, hasMore: false };
  const batches: { lines: LogLine[]; text: string; cursor: string }[] = [];
  let lines: LogLine[] = [];
  let held = '';
  let end: Control | undefined;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    held += `${line}\n`;
    const control = format === 'cef' ? cefControl(line) : jsonControl(line);
    if (!control) lines.push({ text: line, timeMs: timeOf(line, format) });
    if (control?.cursor === undefined) continue;
    const last = batches.at(-1);
    if (lines.length > 0) batches.push({ lines, text: held, cursor: control.cursor });
    else if (last) Object.assign(last, { text: last.text + held, cursor: control.cursor });
    // The first line belongs to the rows after it.
    if (lines.length > 0 || last) held = '';
    lines = [];
    if (control.object === 'end') end = control;
  }
  if (end) return { batches, cursor: end.cursor, hasMore: end.hasMore === true };
  throw cloudError(
    'PLATFORM_FAILED',
    'The platform cut the export off before its last line.',
    'Run the command again: it goes on where it stopped.',
  );
}

function jsonControl(line: string): Control | undefined {
  return /^\{"object":"(?:start|checkpoint|end)"/.test(line) ? (JSON.parse(line) as Control) : undefined;
}

function cefControl(line: string): Control | undefined {
  const [, object, cursor = '', hasMore] = /^# (checkpoint|end) (\S+)(?: count=\d+ hasMore=(\w+))?$/.exec(line) ?? [];
  return object === undefined ? undefined : { object: object as 'end', cursor, hasMore: hasMore === 'true' };
}

function timeOf(line: string, format: TailFormat): number {
  if (format === 'cef') return Number(/\brt=(\d+)/.exec(line)?.[1]);
  const row = JSON.parse(line) as { readonly createdAt: string; readonly time: number };
  return format === 'ocsf' ? row.time : Date.parse(row.createdAt);
}
