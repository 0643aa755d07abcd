import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import type { LogFunction } from '#runtime/agent/options/agent-options';
import { createLevelLogger, formatLogLine } from '#runtime/agent/options/log-lines';

/** A logger on a function of the user, and what was said in its place. */
function setUp(log: LogFunction) {
  const told: unknown[] = [];
  const logger = createLevelLogger(log, 'Info', (level, _message, fields) => told.push([level, fields]));
  return { logger, told };
}

it('a line of the log says what its errors say and what to do, wherever they stand', () => {
  const cause = new Error('connect ECONNREFUSED');
  const away = cloudError('DATABASE_UNREACHABLE', 'The database is away.', 'Start it.', { cause });
  const told = { message: 'The database is away.', code: 'DATABASE_UNREACHABLE', nextSteps: ['Start it.'] };
  const fields = { error: away, at: { host: away }, list: [away], all: new AggregateError([away], 'None.'), size: 2n };
  const line: unknown = JSON.parse(formatLogLine(new Date(0), 'Warn', 'm', fields));
  expect(line).toMatchObject({
    error: { ...told, stack: expect.any(String), cause: { message: 'connect ECONNREFUSED' } },
    at: { host: told },
    list: [told],
    all: { message: 'None.', errors: [told] },
    size: '2',
  });
  const round = new Error('round');
  round.cause = { round };
  expect(formatLogLine(new Date(0), 'Warn', 'm', { round })).toContain('"message":"round"');
});

it('a line of the log hides the secret in an error among several', () => {
  const lines: string[] = [];
  const log: LogFunction = (level, message, fields) => lines.push(formatLogLine(new Date(0), level, message, fields));
  const error = new AggregateError([new Error(`The token svc_${'live_'}abc is refused.`)], 'None.');
  setUp(log).logger.log('Warn', 'It failed.', { error });
  expect(lines.join('')).not.toContain('svc_');
  expect(lines.join('')).toContain('The token [redacted] is refused.');
});

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
