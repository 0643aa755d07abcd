import type { ExpandedAdminLog } from '#contracts/public-api/admin-logs';
import type { Messages } from '../messages/index.ts';
import { timeText } from '../values/time-text.ts';
import { own } from '../wire/own.ts';
import type { LogRow } from './log-rows.ts';

/** What somebody did, in words. */
export function whatWasDone(row: LogRow, messages: Messages): string {
  const { auditLog } = messages;
  if (row.object === 'activityLog') {
    const { action, label } = row;
    const words = auditLog.actions[action];
    return label === undefined ? words : `${words}: ${label}`;
  }
  const subject = subjectOf(row.newValue) ?? subjectOf(row.previousValue);
  const what = `${auditLog.resources[row.resource]}, ${changeInWords(row, messages)}`;
  return subject === undefined ? what : `${what}: ${subject}`;
}

/** What became of the thing that was changed. Nobody changes a request for an approval: somebody answers it. */
function changeInWords({ resource, type, newValue }: ExpandedAdminLog, { auditLog, approvalStates }: Messages): string {
  const state = resource === 'approval' && type === 'update' ? newValue?.['state'] : undefined;
  return (typeof state === 'string' && own(approvalStates, state)) || auditLog.changes[type];
}

/** What a value of the configuration is called. */
function subjectOf(value: Readonly<Record<string, unknown>> | undefined): string | undefined {
  if (!value) return undefined;
  const { user } = value;
  const names = [
    typeof user === 'object' && user !== null && 'username' in user ? user.username : undefined,
    ...['name', 'email', 'group', 'action', 'number', 'revision'].map((name) => value[name]),
  ];
  const name = names.find((each) => typeof each === 'string' || typeof each === 'number');
  return name === undefined ? undefined : String(name);
}

/** Everything that a row says, as names and texts in its own order. */
export function factsOf(row: LogRow, { auditLog }: Messages): readonly (readonly [name: string, text: string])[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (name === 'object' || value === null || value === undefined || (Array.isArray(value) && value.length === 0)) {
      return [];
    }
    // Nearly always the view is that of the team, which the row names already.
    if (name === 'rendering' && row.object === 'activityLog' && row.rendering?.name === row.team.name) return [];
    return [[own(auditLog.facts, name) ?? name, textOfFact(row, name, value, auditLog)] as const];
  });
}

/** The words for a value that is one of a few. */
function wordsFor({ object }: LogRow, name: string, value: string, auditLog: Messages['auditLog']): string | undefined {
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    type: object === 'activityLog' ? auditLog.types : auditLog.changes,
    action: auditLog.actions,
    resource: auditLog.resources,
    initiator: auditLog.initiators,
    status: auditLog.outcomes,
    source: auditLog.sources,
    consent: auditLog.consents,
  };
  const ofName = own(words, name);
  return ofName && own(ofName, value);
}

const times: ReadonlySet<string> = new Set(['createdAt', 'occurredAt', 'recordedAt']);

function textOfFact(row: LogRow, name: string, value: unknown, auditLog: Messages['auditLog']): string {
  if (typeof value === 'string')
    return times.has(name) ? timeText(value) : (wordsFor(row, name, value, auditLog) ?? value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  if ('username' in value && 'email' in value) return `${value.username} · ${value.email}`;
  if (name === 'newValue' || name === 'previousValue') return linesOf(value, auditLog);
  return 'name' in value ? String(value.name) : JSON.stringify(value, null, 2);
}

const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Serves machines. The copy of a row has it. */
const ofMachines: ReadonlySet<string> = new Set(['object', 'digest']);

/** What a change says of the thing that it changed, a line each. Sentences stand by themselves, and then how many more there are. */
function linesOf({ sentences = [], more, ...rest }: ChangedValue, auditLog: Messages['auditLog']): string {
  const facts = Object.entries(rest)
    .filter(([name, part]) => !ofMachines.has(name) && part !== null && part !== undefined)
    .map(([name, part]) => `${own(auditLog.valueNames, name) ?? wordsOf(name)}: ${partText(part, auditLog)}`);
  return [...facts, ...sentences, ...(more ? [auditLog.moreRecords(String(more))] : [])].join('\n');
}

/** A value of the configuration, whatever it is of. */
interface ChangedValue {
  readonly sentences?: readonly string[];
  readonly more?: number;
}

/** `expiresAt` is "expires at". */
function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('-', ' ');
}

function partText(part: unknown, auditLog: Messages['auditLog']): string {
  if (typeof part === 'string') return isoTime.test(part) ? timeText(part) : part;
  if (typeof part === 'boolean') return part ? auditLog.yes : auditLog.no;
  if (Array.isArray(part)) return part.map((item) => partText(item, auditLog)).join(', ');
  if (typeof part !== 'object' || part === null) return String(part);
  if ('username' in part && 'email' in part) return `${part.username} · ${part.email}`;
  if ('name' in part) return String(part.name);
  return 'key' in part && 'value' in part ? `${part.key}=${part.value}` : JSON.stringify(part);
}
