import path from 'node:path';
import { monthBounds, readSegment } from '#contracts/audit/segment';
import type { Segments } from '#contracts/public-api/segments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { connectToLog, type LogAccess, type LogInput } from './connect-to-audit-log.ts';

export interface ListedSegments {
  /** Id of the log; `null` for one without rows. */
  readonly chain: string | null;
  readonly segments: Segments['segments'];
}

/** The segments of a log, the oldest first. */
export async function listSegments(context: FlowContext, input: LogInput): Promise<ListedSegments> {
  const access = await connectToLog(context, input);
  return (await segmentsOf(access, input.isAdmin)) ?? { chain: null, segments: [] };
}

/** `undefined` for a log without rows. */
async function segmentsOf({ client, log }: LogAccess, isAdmin: boolean): Promise<Segments | undefined> {
  const { chains } = await client.integrity(log.project);
  const environment = log.environment ?? null;
  const chain = chains.find((each) => each.environment === environment && (each.kind === 'admin') === isAdmin);
  return chain && client.segments(log.project, chain.chain);
}

export interface ExportSegmentInput extends LogInput {
  /** `2026-10`. */
  readonly month: string;
  /** Where the lines go. */
  readonly file: string;
}

export interface ExportedSegment {
  readonly file: string;
  readonly month: string;
  readonly rows: number;
  /** Whether rows of the month may follow. */
  readonly isGrowing: boolean;
}

/** Write the rows of one month to a file of JSON lines, which `audit verify --file` verifies without the rows of other months. */
export async function exportSegment(context: FlowContext, input: ExportSegmentInput): Promise<ExportedSegment> {
  const { month } = input;
  const file = path.resolve(context.workingFolder, input.file);
  const { client, log } = await connectToLog(context, input);
  const [start = '', ...first] = linesOf(await client.segmentRows(log, month));
  const segment = readSegment((JSON.parse(start) as { readonly note: string }).note);
  if (!segment) throw rowsMissing(month);
  const isCreated = await context.fs.createExclusively(file, `${[start, ...first].join('\n')}\n`, { mode: 0o600 });
  if (!isCreated) throw fileThere(file);
  let rows = first.length;
  await context.reporter.step(`Exporting ${month}`, async () => {
    while (rows < segment.size) {
      const [, ...lines] = linesOf(await client.segmentRows(log, month, segment.first + rows - 1));
      // The month that goes on has grown meanwhile; its root is that of its first rows.
      const wanted = lines.slice(0, segment.size - rows);
      if (wanted.length === 0) throw rowsMissing(month);
      await context.fs.append(file, `${wanted.join('\n')}\n`);
      rows += wanted.length;
    }
  });
  return { file, month, rows, isGrowing: Date.parse(segment.at) < monthBounds(month).end };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '');
}

function fileThere(file: string): CloudError {
  return cloudError('USAGE_INVALID', `${file} is there already.`, 'Name another file, or remove this one.');
}

function rowsMissing(month: string): CloudError {
  return cloudError(
    'AUDIT_LOG_BROKEN',
    `The platform has fewer rows of ${month} than it has signed.`,
    'Have whoever runs the platform verify its store: `vendor-cloud platform verify`.',
  );
}
