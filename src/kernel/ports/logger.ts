import { redacted } from '../text/redacted.ts';

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
