import { connect as connectSocket, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Where a server listens; a host that begins with a slash is the folder of its Unix socket. */
export interface PostgresAddress {
  readonly host: string;
  readonly port: number;
}

/** The key of a connection. With it, another connection can cancel its query. */
export interface BackendKey {
  readonly processId: number;
  readonly secretKey: number;
}

const sslRequestCode = 80877103;
const cancelRequestCode = 80877102;

/** Whether the server would encrypt a connection. Rejects with the socket's error when it cannot be reached. */
export async function offersTls(address: PostgresAddress, timeoutMs: number): Promise<boolean> {
  if (address.host.startsWith('/')) return false;
  const socket = openSocket(address, timeoutMs);
  try {
    return await requestTls(socket);
  } finally {
    socket.destroy();
  }
}

/**
 * Ask the server to cancel what a connection is doing. Resolves when the server has passed the request on, so that it
 * cannot hit the next query of that connection. The request is a message of the protocol, because process numbers mean
 * nothing to a pooler.
 */
export async function cancelQuery(
  address: PostgresAddress,
  tls: ConnectionOptions | undefined,
  key: BackendKey,
  timeoutMs: number,
): Promise<void> {
  const socket = openSocket(address, timeoutMs);
  try {
    const isEncrypted = tls !== undefined && (await requestTls(socket));
    // Proxies in front of several databases choose one by the name.
    const name = isIP(address.host) === 0 ? { servername: address.host } : {};
    const channel = isEncrypted ? connectTls({ ...tls, ...name, socket, host: address.host }) : socket;
    const request = Buffer.alloc(16);
    request.writeInt32BE(16, 0);
    request.writeInt32BE(cancelRequestCode, 4);
    request.writeInt32BE(key.processId, 8);
    request.writeInt32BE(key.secretKey, 12);
    await new Promise<void>((resolve, reject) => {
      channel.once('error', reject);
      channel.once('close', () => resolve());
      channel.resume();
      channel.write(request);
    });
  } finally {
    socket.destroy();
  }
}

function openSocket({ host, port }: PostgresAddress, timeoutMs: number): Socket {
  const socket = host.startsWith('/') ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket({ host, port });
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('The server does not answer.')));
  return socket;
}

async function requestTls(socket: Socket): Promise<boolean> {
  const request = Buffer.alloc(8);
  request.writeInt32BE(8, 0);
  request.writeInt32BE(sslRequestCode, 4);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The server closed the connection.')));
    socket.once('data', (answer: Buffer) => {
      socket.pause();
      resolve(answer.toString('latin1', 0, 1) === 'S');
    });
    socket.write(request);
  });
}
