import { loggedValue } from '#kernel/errors/logged-value';
import { type Logger, type LogLevel, redactingLogger } from '#kernel/ports/logger';
import type { LogFunction } from './agent-options.ts';

const order: readonly LogLevel[] = ['Debug', 'Info', 'Warn', 'Error'];

/**
 * A logger that drops messages below `level` and hides secrets of API tokens. It never throws: the first time that `log` fails, at once or later, it tells
 * `fallback`.
 */
export function createLevelLogger(log: LogFunction, level: LogLevel, fallback: LogFunction): Logger {
  const least = order.indexOf(level);
  let isTold = false;
  const tellFailure = (error: unknown) => {
    if (isTold) return;
    isTold = true;
    fallback('Error', 'The logger failed; what it is given from now on may be lost.', { error });
  };
  const redacting = redactingLogger({
    log: (at, message, fields) => {
      const logged: unknown = log(at, message, fields);
      if (logged instanceof Promise) logged.catch(tellFailure);
    },
  });
  return {
    log: (at, message, fields) => {
      if (order.indexOf(at) < least) return;
      try {
        redacting.log(at, message, fields);
      } catch (error) {
        tellFailure(error);
      }
    },
  };
}

/** One line of JSON for each message. Of errors, also of those in other fields, it has the name, message, code, next steps, stack and cause. */
export function formatLogLine(
  time: Date,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const facts = Object.entries(fields).map(([name, value]) => [name, loggedValue(value, { hasStacks: true })]);
  return `${JSON.stringify({ time: time.toISOString(), level, message, ...Object.fromEntries(facts) })}\n`;
}
