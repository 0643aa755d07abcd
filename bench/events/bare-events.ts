import { once } from 'node:events';
import { Agent, createServer, get, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least possible server of events with connected clients, in this process. Each client answers an event with a request. */
export interface BareEvents {
  /** Send an event to all, and wait until each has acknowledged it. */
  change(): Promise<void>;
  stop(): Promise<void>;
}

export async function startBareEvents(clients: number): Promise<BareEvents> {
  const streams = new Set<ServerResponse>();
  let waiting = { id: 0, acknowledged: new Set<string>(), done: () => {} };
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://bare');
    if (pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.add(response);
      return;
    }
    incoming.resume();
    if (searchParams.get('id') === String(waiting.id)) waiting.acknowledged.add(searchParams.get('client') ?? '');
    response.writeHead(204).end();
    if (waiting.acknowledged.size === clients) waiting.done();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const acknowledge = (client: number, id: string) =>
    request({ port, agent, method: 'POST', path: `/acks?client=${client}&id=${id}` }, (answer) =>
      answer.resume(),
    ).end();
  const incoming = await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const [stream] = await once(get({ port, agent: false, path: '/events' }), 'response');
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => acknowledge(client, /^id: (\d+)/m.exec(text)?.[1] ?? ''));
      return stream as { destroy(): void };
    }),
  );
  return {
    change: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { id: waiting.id + 1, acknowledged: new Set(), done: resolve };
      for (const stream of streams) stream.write(`id: ${waiting.id}\ndata: {}\n\n`);
      await promise;
    },
    async stop() {
      for (const stream of incoming) stream.destroy();
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
