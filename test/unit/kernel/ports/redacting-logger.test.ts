import { expect, it } from 'vitest';
import { redactingLogger } from '#kernel/ports/logger';

const secret = `svc_live_${'a'.repeat(38)}`;

function logged(message: string, fields?: Record<string, unknown>) {
  const lines: unknown[] = [];
  redactingLogger({ log: (...line) => void lines.push(line) }).log('Warn', message, fields);
  return lines[0];
}

it('the logger hides secrets of API tokens wherever they are', () => {
  const error = new Error(`refused ${secret}`, { cause: new Error(secret) });
  const fields = { text: `a ${secret} b`, list: [{ header: `Bearer ${secret}` }], error, count: 3, none: null };
  expect(logged(`Sent ${secret}.`, fields)).toEqual([
    'Warn',
    'Sent [redacted].',
    {
      text: 'a [redacted] b',
      list: [{ header: 'Bearer [redacted]' }],
      error: expect.objectContaining({
        message: 'refused [redacted]',
        cause: expect.objectContaining({ message: '[redacted]' }),
      }),
      count: 3,
      none: null,
    },
  ]);
});

it('the logger passes on what has no secret as it is', () => {
  const error = new Error('plain');
  const fields = { error, at: new Date(0), list: ['a'] };
  const [, , passed] = logged('Done.', fields) as [string, string, typeof fields];
  expect(passed).toBe(fields);
  expect(logged('Done.')).toEqual(['Warn', 'Done.', undefined]);
});
