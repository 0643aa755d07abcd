import { describe, expect, it } from 'vitest';
import type { LogFunction } from '#runtime/agent/options/agent-options';
import { createLevelLogger } from '#runtime/agent/options/log-lines';

/** A logger on a function of the user, and what was said in its place. */
function setUp(log: LogFunction) {
  const told: unknown[] = [];
  const logger = createLevelLogger(log, 'Info', (level, _message, fields) => told.push([level, fields]));
  return { logger, told };
}

describe('a logger of the user', () => {
  it('gets what is important enough', () => {
    const log: string[] = [];
    const { logger, told } = setUp((level, message) => log.push(`${level} ${message}`));
    logger.log('Debug', 'a');
    logger.log('Info', 'b');
    logger.log('Error', 'c');
    expect(log).toEqual(['Info b', 'Error c']);
    expect(told).toEqual([]);
  });

  it('never sees the secret of an API token', () => {
    const log: unknown[] = [];
    const { logger } = setUp((...line) => log.push(line));
    const secret = `svc_test_${'a'.repeat(38)}`;
    logger.log('Error', `Sent ${secret}`, { header: `Bearer ${secret}` });
    expect(log).toEqual([['Error', 'Sent [redacted]', { header: 'Bearer [redacted]' }]]);
  });

  const error = new Error('disk full');
  it.each<[string, LogFunction]>([
    [
      'throws',
      () => {
        throw error;
      },
    ],
    ['rejects', async () => Promise.reject(error)],
  ])('harms nobody when it %s, which is reported once', async (_how, log) => {
    const { logger, told } = setUp(log);
    logger.log('Info', 'a');
    logger.log('Info', 'b');
    await expect.poll(() => told).toEqual([['Error', { error }]]);
  });
});
