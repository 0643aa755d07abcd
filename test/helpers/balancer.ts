import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { ServerCertificate } from './server-certificates.ts';

/** A balancer of TCP connections, as a team has one before its hosts. */
export interface Balancer {
  readonly origin: string;
  /** How many connections each backend has got, by its origin. */
  readonly connections: ReadonlyMap<string, number>;
  /** The origins that new connections go to from now on. */
  use(backends: readonly string[]): void;
}

/**
 * Hands every new connection to the next backend in turn, and to the one after it where a backend refuses. Stops when the
 * test ends.
 *
 * @param certificate Of its address, where it ends TLS.
 */
export async function startBalancer(certificate?: ServerCertificate): Promise<Balancer> {
  let backends: readonly string[] = [];
  let turn = 0;
  const connections = new Map<string, number>();
  const open = new Set<Socket>();
  const forward = async (client: Socket) => {
    keep(open, client);
    const inTurn = backends.map((_, step) => backends[(turn + step) % backends.length] ?? '');
    turn++;
    for (const backend of inTurn) {
      const socket = await reach(backend);
      if (!socket) continue;
      connections.set(backend, (connections.get(backend) ?? 0) + 1);
      keep(open, socket);
      client.pipe(socket).pipe(client);
      // A side that breaks ends the other one too.
      client.on('close', () => socket.destroy());
      socket.on('close', () => client.destroy());
      return;
    }
    client.destroy();
  };
  const server = certificate
    ? createTlsServer(
        { cert: await readFile(certificate.certificatePath), key: await readFile(certificate.keyPath) },
        (client) => void forward(client),
      )
    : createServer({ pauseOnConnect: true }, (client) => void forward(client));
  // Of a client that breaks off in the middle of its handshake.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return {
    origin: `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections,
    use: (origins) => {
      backends = origins;
    },
  };
}

/** A connection to a backend; `undefined` where it refuses. */
async function reach(origin: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}

/** Known while it is open. Its errors end it, which the other side is reported by `close`. */
function keep(open: Set<Socket>, socket: Socket): void {
  open.add(socket);
  socket.on('error', () => undefined).on('close', () => open.delete(socket));
}
