import { expect, it } from 'vitest';
import { platformLogger } from '#flows/platform/start-platform-server';
import { cloudError } from '#kernel/errors/cloud-error';
import { redactingLogger } from '#kernel/ports/logger';

it('the log of a platform has the code, the message and the next step of an error in the background', () => {
  const told: unknown[] = [];
  const logger = platformLogger({ clock: { now: () => 0 } as never }, (event) =>
    told.push(JSON.parse(JSON.stringify(event))),
  );
  const error = cloudError('PLATFORM_STORE_UNAVAILABLE', 'The store is away.', 'Start it.');
  logger.log('Warn', 'The audit log could not be kept.', { error, work: 'audit retention' });
  logger.log('Error', 'The sign-in failed.', { error: new TypeError('no such thing') });
  logger.log('Warn', 'Two hosts are away.', {
    hosts: [{ name: 'a', error }],
    all: new AggregateError([error], 'None.'),
  });
  logger.log('Info', 'Nobody waits for this.');
  const secret = `svc_${'live'}_abc`;
  const refused = cloudError('PLATFORM_STORE_UNAVAILABLE', `It was ${secret}.`, 'Rotate it.');
  redactingLogger(logger).log('Warn', 'A token was read.', { error: refused });
  expect(told).toMatchObject([
    {
      ...{ event: 'log', at: '1970-01-01T00:00:00.000Z', level: 'Warn', message: 'The audit log could not be kept.' },
      fields: {
        error: { code: 'PLATFORM_STORE_UNAVAILABLE', message: 'The store is away.', nextSteps: ['Start it.'] },
        work: 'audit retention',
      },
    },
    { fields: { error: { name: 'TypeError', message: 'no such thing' } } },
    {
      fields: {
        hosts: [{ name: 'a', error: { message: 'The store is away.', nextSteps: ['Start it.'] } }],
        all: { message: 'None.', errors: [{ message: 'The store is away.' }] },
      },
    },
    {
      fields: {
        error: { code: 'PLATFORM_STORE_UNAVAILABLE', message: 'It was [redacted].', nextSteps: ['Rotate it.'] },
      },
    },
  ]);
});
