import { expect, it } from 'vitest';
import { createMountGate } from '#runtime/surfaces/mounts/mount-gate';
import { startHttpServer } from '../../../../helpers/http-server.ts';

it('a request that takes longer than it may is cut when the agent stops', async () => {
  const gate = createMountGate('/service');
  const reached = Promise.withResolvers<void>();
  gate.open(() => reached.resolve());
  const { origin } = await startHttpServer((request, response) => {
    void gate.answer({ request, response, url: request.url ?? '', body: undefined });
  });
  const answer = fetch(`${origin}/service`);
  await reached.promise;
  await Promise.all([gate.drain(10), expect(answer).rejects.toThrow()]);
});
