import type { CloudError } from '#kernel/errors/cloud-error';
import type { AgentLogLine } from '../agent-worker/worker-protocol.ts';
import type { LocalLog } from './local-log.ts';

/** What the events of `dev` and of `serve` have in common. */
type ToldEvent = { readonly event: string } & (
  | { readonly error: CloudError }
  | { readonly errors: readonly unknown[] }
  | AgentLogLine
  | { readonly text: string }
  | { readonly message: string }
  | object
);

/** The same `tell`, which keeps every event in a log as well. Events carry tokens: of all else, numbers alone are kept. */
export function logEvents<Event extends ToldEvent>(
  log: LocalLog,
  tell: (event: Event) => void,
): (event: Event) => void {
  return (event) => {
    logEvent(log, event);
    tell(event);
  };
}

function logEvent(log: LocalLog, event: ToldEvent): void {
  if ('error' in event) log.add('Error', textOf(event.error));
  else if ('errors' in event)
    log.add(event.errors.length > 0 ? 'Warn' : 'Info', `${event.event} errors=${event.errors.length}`);
  else if ('facts' in event) log.add(event.level, [event.message, ...factsOf(event.facts)].join(' '));
  else if ('text' in event) log.add('Info', event.text);
  else if ('message' in event) log.add('Warn', event.message);
  else {
    const numbers = Object.entries(event).filter(([, value]) => typeof value === 'number');
    log.add('Info', [event.event, ...factsOf(Object.fromEntries(numbers))].join(' '));
  }
}

function factsOf(facts: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
}

function textOf({ code, message, location }: CloudError): string {
  const place = location ? ` (${[location.file, location.line, location.column].filter(Boolean).join(':')})` : '';
  return `${message}${place} [${code}]`;
}
