import type { Messages } from '../messages/index.ts';
import { timeText } from '../values/time-text.ts';
import { own } from '../wire/own.ts';
import type { LogRow } from './log-rows.ts';

/** What somebody did, in words. */
export function whatWasDone(row: LogRow, { auditLog }: Messages): string {
  if (row.object === 'activityLog') {
    const { action, label } = row;
    const words = auditLog.actions[action];
    return label === undefined ? words : `${words}: ${label}`;
  }
  const subject = subjectOf(row.newValue) ?? subjectOf(row.previousValue);
  const what = `${auditLog.resources[row.resource]}, ${auditLog.changes[row.type]}`;
  return subject === undefined ? what : `${what}: ${subject}`;
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
    return [[own(auditLog.facts, name) ?? name, textOfFact(name, value)] as const];
  });
}

const times: ReadonlySet<string> = new Set(['createdAt', 'occurredAt', 'recordedAt']);

function textOfFact(name: string, value: unknown): string {
  if (typeof value === 'string') return times.has(name) ? timeText(value) : value;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  if ('username' in value && 'email' in value) return `${value.username} · ${value.email}`;
  return 'name' in value && name !== 'newValue' && name !== 'previousValue'
    ? String(value.name)
    : JSON.stringify(value, null, 2);
}
