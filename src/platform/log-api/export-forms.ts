import { stringify } from 'csv-stringify/sync';
import type { ExportEnd, ExportPlace, ExportStart } from '#contracts/audit/export-lines';
import type { ActivityEntry, AdminEntry, RowPlace } from '#contracts/audit/rows';
import type { exportFormats } from '#contracts/public-api/activity-logs';
import type { ChainRecord } from '../audit/audit-chains.ts';
import type { LogRow } from '../audit/read-log.ts';
import { cefLine } from './cef.ts';
import { ocsfEvent } from './ocsf.ts';

/** How an export is written. Every text ends with its end of line. */
export interface ExportForm {
  readonly mediaType: string;
  /** Whether rows are there with all they hold. */
  readonly isWhole: boolean;
  start(start: ExportStart): string;
  row(row: LogRow, chain: ChainRecord, cursor: string): string;
  place(place: ExportPlace): string;
  end(end: ExportEnd): string;
}

const json = (content: unknown) => `${JSON.stringify(content)}\n`;

/** Lines of JSON, with those that say where to go on. */
const jsonLines = {
  mediaType: 'application/x-ndjson',
  start: json,
  place: json,
  end: json,
} as const;

const csvColumns = [
  ...['sequence', 'id', 'createdAt', 'type', 'action', 'status', 'user', 'email', 'team', 'role', 'environment'],
  ...[
    'collection',
    'recordIds',
    'label',
    'fields',
    'initiator',
    'previousValue',
    'newValue',
    'correlationId',
    'client',
    'tool',
    'codeVersion',
    'cursor',
  ],
];

export const exportForms: Readonly<Record<(typeof exportFormats)[number], ExportForm>> = {
  ndjson: {
    ...jsonLines,
    isWhole: true,
    row: ({ entry, status, hash }) => json({ ...entry, ...(status === null ? {} : { status }), hash }),
  },
  ocsf: { ...jsonLines, isWhole: false, row: (row, chain) => json(ocsfEvent(row, chain)) },
  hec: { ...jsonLines, isWhole: false, row: (row, chain) => json(hecEvent(row, chain)) },
  csv: {
    mediaType: 'text/csv; charset=utf-8; header=present',
    isWhole: false,
    start: () => csvLine(csvColumns),
    row: (row, _chain, cursor) => csvLine(csvCells(row, cursor)),
    place: () => '',
    end: () => '',
  },
  cef: {
    mediaType: 'text/plain; charset=utf-8',
    isWhole: false,
    start: () => '',
    row: cefLine,
    place: ({ cursor }) => `# checkpoint ${cursor}\n`,
    end: ({ cursor, count, hasMore }) => `# end ${cursor} count=${count} hasMore=${hasMore}\n`,
  },
};

/** A spreadsheet must not take a name for a formula. */
function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows', escape_formulas: true });
}

function csvCells({ entry, status }: LogRow, cursor: string): readonly string[] {
  const row = entry as RowPlace &
    Partial<Omit<ActivityEntry, 'object' | 'type'> & Omit<AdminEntry, 'object' | 'type'>> &
    Pick<LogRow['entry'], 'type'>;
  const list = (items: readonly string[] | undefined) => (items && items.length > 0 ? JSON.stringify(items) : '');
  const value = (given: unknown) => (given === undefined ? '' : JSON.stringify(given));
  return [
    String(row.sequence),
    row.id ?? '',
    row.createdAt,
    row.type ?? '',
    row.action ?? row.resource ?? '',
    status ?? '',
    row.user?.username ?? '',
    row.user?.email ?? '',
    row.team?.name ?? '',
    row.role ?? '',
    row.environment?.name ?? '',
    row.collection?.name ?? '',
    list(row.recordIds),
    row.label ?? '',
    list(row.fields),
    row.initiator ?? '',
    value(row.previousValue),
    value(row.newValue),
    row.correlationId ?? '',
    row.client?.name ?? '',
    row.tool ?? '',
    String(row.codeVersion ?? ''),
    cursor,
  ];
}

function hecEvent({ entry, status }: LogRow, { genesis }: ChainRecord) {
  const { project, environment } = JSON.parse(genesis) as {
    readonly project: string;
    readonly environment: string | null;
  };
  return {
    time: Date.parse(entry.createdAt) / 1000,
    host: 'vendor-cloud',
    source: `service:${project}${environment === null ? '' : `/${environment}`}`,
    sourcetype: entry.object === 'activityLog' ? 'service:activity' : 'service:admin',
    event: { ...entry, ...(status === null ? {} : { status }) },
  };
}
