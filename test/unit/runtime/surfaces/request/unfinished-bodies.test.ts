import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { endLateBody } from '../../../../../src/runtime/surfaces/request/request-bodies.ts';

describe('the late body of an answered request', () => {
  it('ends no connection where the request was injected and has none', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const app = fastify();
    onTestFinished(() => app.close());
    app.get('/', async ({ raw }) => {
      endLateBody(raw);
      return 'answered';
    });
    expect((await app.inject('/')).body).toBe('answered');
    expect(() => vi.advanceTimersByTime(5_000)).not.toThrow();
  });
});
