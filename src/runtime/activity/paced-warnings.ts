import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';

/** Warns of what may happen again and again. */
export type PacedWarning = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const pauseMs = 60_000;

/** Each message at most once a minute. */
export function createPacedWarnings(logger: Logger, clock: Clock): PacedWarning {
  const lastAt = new Map<string, number>();
  return (message, fields) => {
    const now = clock.monotonicMs();
    const last = lastAt.get(message);
    if (last !== undefined && now - last < pauseMs) return;
    lastAt.set(message, now);
    logger.log('Warn', message, fields);
  };
}
