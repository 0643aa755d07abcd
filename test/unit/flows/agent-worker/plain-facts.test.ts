import { expect, it } from 'vitest';
import { plainFacts } from '#flows/agent-worker/run-agent-worker';
import { cloudError } from '#kernel/errors/cloud-error';
import { redactingLogger } from '#kernel/ports/logger';

it('a line of an agent says what its error says, also where a secret was hidden in it', () => {
  const error = cloudError('DATABASE_UNREACHABLE', 'The database db is away.', 'Start it.');
  expect(plainFacts({ status: 503, error, at: [1] })).toEqual({
    status: 503,
    error: 'DATABASE_UNREACHABLE: The database db is away.',
  });
  expect(plainFacts({ error: new Error('no code') })).toEqual({ error: 'no code' });
  const several = new AggregateError([error, new Error('refused')], 'All failed.', { cause: new Error('no route') });
  expect(plainFacts({ error: several, tries: [error, 'x'], host: { name: 'a', problem: error } })).toEqual({
    error: 'All failed. (no route; DATABASE_UNREACHABLE: The database db is away.; refused)',
    tries: 'DATABASE_UNREACHABLE: The database db is away.',
    host: 'DATABASE_UNREACHABLE: The database db is away.',
  });
  const lines: object[] = [];
  const secret = new Error(`The token svc_${'live_'}abc is refused.`);
  redactingLogger({ log: (_level, _message, fields = {}) => void lines.push(plainFacts(fields)) }).log(
    'Warn',
    'It failed.',
    {
      error: secret,
    },
  );
  expect(lines).toEqual([{ error: 'The token [redacted] is refused.' }]);
});
