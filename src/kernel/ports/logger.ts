export type LogLevel = 'Debug' | 'Info' | 'Warn' | 'Error';

/** Structured diagnostics. Never a result: results go through the `Reporter` or a return value. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export const silentLogger: Logger = { log: () => undefined };
