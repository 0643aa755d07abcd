import path from 'node:path';
import type { LocalLogLine, LogLine } from '#contracts/local-log';
import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { AgentLogLine } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';

/** Where a process keeps what it says, bounded in size. */
export interface LocalLog {
  add(level: LogLine['level'], text: string): void;
  /** Resolves when all lines are on the disk. */
  close(): Promise<void>;
}

/** A file of this size is put aside, in the place of the one that was put aside before, in bytes. */
const maxFileBytes = 1024 * 1024;
const maxTextLength = 4000;

/**
 * A log in a folder: `<source>.ndjson`, and what came before in `<source>.1.ndjson`. A folder that cannot be written is reported once,
 * and nothing is kept then: a log must not end what it is about.
 */
export function createLocalLog(context: FlowContext, folder: string, source: string): LocalLog {
  const { fs, clock, random, reporter } = context;
  const file = path.join(folder, `${source}.ndjson`);
  const run = random.hex(4);
  let sequence = 0;
  let waiting = '';
  let size: number | undefined;
  let isBroken = false;
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const text = waiting;
    waiting = '';
    if (text === '' || isBroken) return;
    try {
      if (size === undefined) await fs.makePrivateFolder(folder);
      size ??= (await fs.readBytes(file))?.byteLength ?? 0;
      if (size > maxFileBytes) {
        await fs.rename(file, path.join(folder, `${source}.1.ndjson`));
        size = 0;
      }
      await fs.append(file, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
    } catch (error) {
      isBroken = true;
      reporter.warn(`The log is not kept. ${toCloudError(error).message}`);
    }
  };

  return {
    add(level, text) {
      sequence += 1;
      const at = new Date(clock.now()).toISOString();
      const line: LocalLogLine = { at, level, source, text: text.trimEnd().slice(0, maxTextLength), run, sequence };
      waiting += `${JSON.stringify(line)}\n`;
      writing = writing.then(write);
    },
    close: () => writing,
  };
}

/** What the events of `dev` and of `serve` have in common. */
type ToldEvent = { readonly event: string } & (
  | { readonly error: CloudError }
  | { readonly errors: readonly unknown[] }
  | AgentLogLine
  | { readonly text: string }
  | { readonly message: string }
  | object
);

/** The same `tell`, which keeps every event in a log as well. Events carry tokens: of all else, only numbers are kept. */
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
