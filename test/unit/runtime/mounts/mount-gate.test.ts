import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createMountGate } from '#runtime/mounts/mount-gate';

it('a request that takes longer than it may is cut when the agent stops', async () => {
  const gate = createMountGate('/service');
  const reached = Promise.withResolvers<void>();
  gate.open(() => reached.resolve());
  const server = createServer((request, response) => {
    void gate.answer({ request, response, url: request.url ?? '', body: undefined });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const answer = fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/service`);
  await reached.promise;
  await Promise.all([gate.drain(10), expect(answer).rejects.toThrow()]);
});
