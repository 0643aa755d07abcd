import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { thisMachine } from '#node/system/this-machine';

it('a port of this machine is free until a server listens on it, and again after that', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await thisMachine.isPortFree(port)).toBe(false);
  server.close();
  await once(server, 'close');
  expect(await thisMachine.isPortFree(port)).toBe(true);
});
