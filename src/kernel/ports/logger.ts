export type LogLevel = 'Debug' | 'Info' | 'Warn' | 'Error';

/** Structured diagnostics. Never a result: results go through the `Reporter` or a return value. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { log: () => undefined };

/** The same logger, which never sees the secret of an API token. */
export function redactingLogger(logger: Logger): Logger {
  return {
    log: (level, message, fields) =>
      logger.log(level, redacted(message) as string, redacted(fields) as Readonly<Record<string, unknown>> | undefined),
  };
}

const tokenSecret = /svc_(?:live|test)_\w+/g;

/** How deep fields are looked through; what is deeper is not logged by anybody. */
const deepestField = 8;

/** A value without the secrets of API tokens: the same one where it has none, else a copy. An error becomes a plain object. */
function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(tokenSecret, '[redacted]');
  if (typeof value !== 'object' || value === null || depth > deepestField) return value;
  if (value instanceof Error) return redactedError(value, depth);
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((item) => redacted(item, depth + 1)),
    );
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  const copies = entries.map(([name, field]) => [name, redacted(field, depth + 1)] as const);
  return entries.every(([, field], place) => field === copies[place]?.[1]) ? value : Object.fromEntries(copies);
}

function redactedError(error: Error, depth: number): unknown {
  const { name, message, stack, cause } = error;
  const own = Object.fromEntries(Object.entries(error).filter(([fact]) => fact === 'code' || fact === 'nextSteps'));
  const errors = 'errors' in error ? { errors: error.errors } : {};
  const facts = { name, message, stack, ...own, ...errors, cause };
  const copy = redacted(facts, depth + 1);
  return copy === facts ? error : copy;
}

function sameOr(value: readonly unknown[], copy: readonly unknown[]): readonly unknown[] {
  return value.every((item, place) => item === copy[place]) ? value : copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
