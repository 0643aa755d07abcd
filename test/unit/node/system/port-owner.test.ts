import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describePortOwner } from '#node/system/this-machine';
import { freePort } from '../../../helpers/free-port.ts';

const isLinux = process.platform === 'linux';
const reason = isLinux ? '' : ' (skipped: only Linux tells the owner by its own files)';

describe.skipIf(!isLinux)(`the owner of a port${reason}`, () => {
  it.each(['127.0.0.1', '::1'])('is the process that listens on %s', async (host) => {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await describePortOwner(port)).toBe(`node (pid ${process.pid})`);
  });

  it('is unknown for a port that nobody listens on', async () => {
    expect(await describePortOwner(await freePort())).toBeNull();
  });
});
