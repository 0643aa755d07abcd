import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPublicFetch } from '#node/http/public-fetch';

/** Names are looked up here, and the questions are kept. */
function names(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const lookup = (hostname: string, _options: object, done: (error: null, addresses: LookupAddress[]) => void) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  return { asked, lookup };
}

/** A port of this machine, and how many connections it was asked for. */
async function listen() {
  const connections: unknown[] = [];
  const server = createServer((socket) => {
    connections.push(socket);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return { connections, port: typeof address === 'object' && address ? address.port : 0 };
}

const causeOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  return String(error?.cause ?? error);
};

describe('a document at an address that somebody else names', () => {
  it.each([
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/client.json',
    'https://[::ffff:10.0.0.1]/client.json',
    'https://2130706433/client.json',
    'https://0x7f.1/client.json',
    'https://[fd00::1]/client.json',
  ])('is not fetched from %s', async (url) => {
    const { asked, lookup } = names(['8.8.8.8']);
    expect(await causeOf(createPublicFetch({ lookup })(url))).toContain('is not a public address');
    expect(asked).toEqual([]);
  });

  it.each(['http://app.example/client.json', 'file:///etc/passwd', 'ftp://app.example/'])(
    'is not fetched without TLS: %s',
    async (url) => expect(await causeOf(createPublicFetch()(url))).toContain('Only https:'),
  );

  it('is not fetched from a name that leads to this machine, not even to one of its addresses', async () => {
    const { connections, port } = await listen();
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::ffff:127.0.0.1']]) {
      const { lookup } = names(addresses);
      expect(await causeOf(createPublicFetch({ lookup })(`https://app.example:${port}/`))).toContain(
        'app.example is not a public address',
      );
    }
    expect(connections).toEqual([]);
  });

  it('is fetched from the address that was checked, whatever the name leads to afterwards', async () => {
    const { connections, port } = await listen();
    // The first answer is checked and connected to. There is no second question for the connection.
    const { asked, lookup } = names(['127.0.0.1'], ['10.0.0.1']);
    const checked: string[] = [];
    const isAllowed = (address: string) => checked.push(address) > 0;
    await causeOf(createPublicFetch({ lookup, isAllowed })(`https://app.example:${port}/`));
    expect([asked, checked, connections.length]).toEqual([['app.example'], ['127.0.0.1'], 1]);
  });
});
