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
