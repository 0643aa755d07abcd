import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { listenOnPort } from '#node/http/listen-on-port';
import { freePort } from '../../../helpers/free-port.ts';
import { inNetworkOfItsOwn, itInNetworkOfItsOwn } from '../../../helpers/own-network.ts';

const loopback = '127.0.0.1';

function newServer(): Server {
  const server = createServer();
  onTestFinished(() => void server.close());
  return server;
}

/** A port that another server of this process listens on. */
async function busyPort(): Promise<number> {
  return listenOnPort(newServer(), loopback, { port: 0, isExact: true });
}

describe('listening on a port', () => {
  it('takes the wanted port', async () => {
    const wanted = await freePort();
    expect(await listenOnPort(newServer(), loopback, { port: wanted, isExact: true })).toBe(wanted);
  });

  it('takes a free port when the wanted one is busy and any will do', async () => {
    const busy = await busyPort();
    const server = newServer();
    const port = await listenOnPort(server, loopback, { port: busy, isExact: false });
    expect(port).not.toBe(busy);
    expect(server.address()).toMatchObject({ port });
  });

  itInNetworkOfItsOwn('takes no port that a browser does not open', async () => {
    const program = `
      import { createServer } from 'node:http';
      import { listenOnPort, stopServer } from '#node/http/listen-on-port';
      const server = createServer();
      for (let round = 0; round < 20; round += 1) {
        console.info(await listenOnPort(server, '127.0.0.1', { port: 0, isExact: true }));
        await stopServer(server, 0);
      }`;
    // Browsers open none of 6665 to 6669. Linux looks at the lower half of its free ports first.
    const ports = 'echo "6665 6676" > /proc/sys/net/ipv4/ip_local_port_range';
    const printed = await inNetworkOfItsOwn(ports, [
      '--conditions=vendor-source',
      '--input-type=module',
      '--eval',
      program,
    ]);
    const taken = printed.split('\n').map(Number);
    expect(taken).toHaveLength(20);
    expect(Math.min(...taken)).toBeGreaterThanOrEqual(6670);
  });

  it('waits for a port that is asked for by number until the server ends that has it', async () => {
    const ending = newServer();
    const wanted = await listenOnPort(ending, loopback, { port: 0, isExact: true });
    const listening = listenOnPort(newServer(), loopback, { port: wanted, isExact: true });
    await once(ending.close(), 'close');
    expect(await listening).toBe(wanted);
  });

  it('fails when the port is busy and no other will do, and names the owner of the port where the system tells', {
    tags: 'long',
  }, async () => {
    const busy = await busyPort();
    const owner = process.platform === 'linux' ? `node (pid ${process.pid})` : 'another process';
    await expect(listenOnPort(newServer(), loopback, { port: busy, isExact: true })).rejects.toMatchObject({
      code: 'MACHINE_PORT_IN_USE',
      message: `Port ${busy} is used by ${owner}.`,
      safeDetails: { port: busy },
    });
  });

  it('says which flag takes another port, where a flag asked for it', { tags: 'long' }, async () => {
    const wanted = { port: await busyPort(), isExact: true };
    const nextStepOf = async (flag?: string) => {
      const asked = flag === undefined ? wanted : { ...wanted, flag };
      const error = await listenOnPort(newServer(), loopback, asked).catch((refused: unknown) => refused);
      return isCloudError(error) ? error.nextSteps[0] : undefined;
    };
    expect(await nextStepOf('--mcp-port')).toMatch(/ask for another port with --mcp-port; 0 takes any free one\.$/);
    expect(await nextStepOf()).toMatch(/ask for another port; 0 takes any free one\.$/);
  });

  it.each([
    ['an address of no interface', '192.0.2.1', '192.0.2.1:0 (EADDRNOTAVAIL)'],
    ['an IPv6 address of no interface', '2001:db8::1', '[2001:db8::1]:0 (E'],
    ['a name that does not exist', 'nowhere.invalid', 'nowhere.invalid:0 (E'],
  ])('fails on %s, and says what the system said', async (_what, host, place) => {
    await expect(listenOnPort(newServer(), host, { port: 0, isExact: false })).rejects.toMatchObject({
      code: 'MACHINE_ADDRESS_UNUSABLE',
      message: expect.stringContaining(place),
      safeDetails: { host, port: 0 },
    });
  });

  it('throws mistakes in the call unchanged', async () => {
    const wish = { port: 70_000, isExact: true };
    await expect(listenOnPort(newServer(), loopback, wish)).rejects.toMatchObject({ code: 'ERR_SOCKET_BAD_PORT' });
  });
});
