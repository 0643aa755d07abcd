import type { ActivityEntry, AdminEntry } from '#contracts/audit/rows';
import type { ChainRecord } from '../audit/audit-chains.ts';
import type { LogRow } from '../audit/read-log.ts';

/** A row in the Common Event Format, with its end of line. */
export function cefLine({ entry, status }: LogRow, _chain: ChainRecord, cursor: string): string {
  const isActivity = entry.object === 'activityLog';
  const action = isActivity ? entry.action : `${entry.resource} ${entry.type}`;
  const label = isActivity ? (entry.label ?? entry.action) : action;
  const severity = entry.type === 'read' ? 1 : action === 'delete' || entry.type === 'remove' ? 5 : 3;
  const head = ['CEF:0', 'Vendor', 'AuditLog', '1', action, label, String(severity)].map(headerText).join('|');
  const extension = Object.entries({
    ...fieldsOf(entry),
    outcome: status ?? 'completed',
    cs6Label: 'cursor',
    cs6: cursor,
  })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${extensionText(value)}`);
  return `${head}|${extension.join(' ')}\n`;
}

function fieldsOf(entry: ActivityEntry | AdminEntry | LogRow['entry']): Record<string, string> {
  const createdAt = 'createdAt' in entry ? entry.createdAt : '';
  const common = {
    rt: String(Date.parse(createdAt)),
    suser: entry.user?.email ?? '',
    suid: entry.user ? String(entry.user.id) : '',
    externalId: entry.id,
  };
  if (entry.object === 'adminLog') {
    return {
      ...common,
      act: `${entry.resource} ${entry.type}`,
      src: entry.address ?? '',
      cs1Label: 'previousValue',
      cs1: entry.previousValue ? JSON.stringify(entry.previousValue) : '',
      cs2Label: 'newValue',
      cs2: entry.newValue ? JSON.stringify(entry.newValue) : '',
    };
  }
  return {
    ...common,
    act: entry.action,
    cs1Label: 'collection',
    cs1: entry.collection?.name ?? '',
    cs2Label: 'recordIds',
    cs2: entry.recordIds.join(','),
    cs3Label: 'environment',
    cs3: entry.environment.name,
    cs4Label: 'team',
    cs4: entry.team.name,
    cs5Label: 'correlationId',
    cs5: entry.correlationId ?? '',
    requestClientApplication: entry.client?.name ?? '',
    ...(entry.tool === undefined ? {} : { flexString1Label: 'tool', flexString1: entry.tool }),
  };
}

function headerText(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll(/[\r\n\u2028\u2029]+/g, ' ');
}

function extensionText(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('=', '\\=')
    .replaceAll(/\r\n?|\n|\u2028|\u2029/g, '\\n');
}
