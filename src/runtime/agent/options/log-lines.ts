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

/** One line of JSON for each message. Of an error only its name, message, code and stack are written. */
export function formatLogLine(
  time: Date,
  level: LogLevel,
  message: string,
  fields: Readonly<Record<string, unknown>> = {},
): string {
  const facts = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? errorFacts(value) : value,
  ]);
  return `${JSON.stringify({ time: time.toISOString(), level, message, ...Object.fromEntries(facts) })}\n`;
}

function errorFacts(error: Error): Readonly<Record<string, unknown>> {
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause instanceof Error ? { cause: errorFacts(error.cause) } : {};
  return { name: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
