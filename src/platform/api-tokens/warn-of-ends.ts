import { expiresSoonMs } from '#contracts/api-tokens';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { ApiTokenRepository } from './api-token-repository.ts';

const lookEveryMs = 60 * 60_000;

/**
 * Warn of tokens that expire within 14 days, of each once a day, whatever number of processes the platform has. Returns how to
 * stop.
 */
export function warnOfEnds(
  tokens: Pick<ApiTokenRepository, 'takeExpiring'>,
  clock: Clock,
  logger: Logger,
): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve();
  const look = async () => {
    for (const { id, name, project, expiresAt } of await tokens.takeExpiring(clock.now() + expiresSoonMs)) {
      logger.log('Warn', 'An API token expires soon. Rotate it: vendor-cloud tokens rotate <id>', {
        ...{ id, name, project },
        expiresAt: new Date(expiresAt).toISOString(),
      });
    }
  };
  const lookAgain = () => {
    looking = looking
      .then(look)
      .catch((error: unknown) => logger.log('Warn', 'API tokens that expire soon could not be looked for.', { error }));
  };
  lookAgain();
  const timer = setInterval(lookAgain, lookEveryMs).unref();
  return async () => {
    clearInterval(timer);
    await looking;
  };
}
