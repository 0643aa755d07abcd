import type { Logger } from '#kernel/ports/logger';
import type { Timers } from '#kernel/ports/timers';
import { systemTimers } from '#node/system/system-timers';
import type { ApiTokenRepository, TokenUse } from './api-token-repository.ts';

/** How long a token that was used again waits to be written, in milliseconds. */
const writeEveryMs = 60_000;

/** When and from where tokens are used. No request waits until it is written. */
export interface TokenUses {
  note(use: TokenUse): void;
  /** Writes what is left. */
  stop(): Promise<void>;
}

/** The first use after a quiet minute is written at once, and those that follow together once a minute. */
export function createTokenUses(
  tokens: Pick<ApiTokenRepository, 'saveUses'>,
  logger: Logger,
  timers: Timers = systemTimers,
): TokenUses {
  let latest = new Map<number, TokenUse>();
  let writing: Promise<void> = Promise.resolve();
  let stopTimer: (() => void) | undefined;

  const write = () => {
    const uses = [...latest.values()];
    latest = new Map();
    if (uses.length === 0) return;
    writing = writing
      .then(() => tokens.saveUses(uses))
      .catch((error: unknown) => logger.log('Warn', 'The last uses of API tokens could not be stored.', { error }));
  };
  const startMinute = () => {
    stopTimer = timers.after(writeEveryMs, () => {
      stopTimer = undefined;
      if (latest.size === 0) return;
      write();
      startMinute();
    });
  };

  return {
    note: (use) => {
      latest.set(use.tokenId, use);
      if (stopTimer) return;
      write();
      startMinute();
    },
    stop: async () => {
      stopTimer?.();
      write();
      await writing;
    },
  };
}
