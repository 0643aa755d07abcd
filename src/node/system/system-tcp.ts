import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Tcp, TcpAddress, TcpConnection } from '#kernel/ports/tcp';
import { trustedContext } from './trusted-authorities.ts';

const connectMs = 10_000;
const closeMs = 2_000;
const keepAliveMs = 30_000;

/** Connections of this machine. TLS trusts the authorities of Node.js, of `NODE_EXTRA_CA_CERTS` and of the system. */
export const systemTcp: Tcp = { connect };

async function connect(address: TcpAddress): Promise<TcpConnection> {
  const { host, port, isTls } = address;
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  const socket = isTls
    ? tls.connect({ host, port, ...servername, secureContext: trustedContext() })
    : net.connect({ host, port });
  const deadline = AbortSignal.timeout(connectMs);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: deadline });
  } catch (cause) {
    socket.destroy();
    throw failed(address, deadline.aborted ? new Error('no connection came about in time', { cause }) : cause);
  }
  socket.setKeepAlive(true, keepAliveMs);
  let broken: unknown;
  socket.on('error', (error) => {
    broken = error;
  });
  // The other side only ends a connection that it takes nothing from any more.
  socket.on('end', () => socket.destroy());
  socket.resume();
  return {
    send: (bytes) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) reject(failed(address, broken));
        else socket.write(bytes, (error) => (error ? reject(failed(address, error)) : resolve()));
      }),
    close: async () => {
      if (socket.destroyed) return;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.setTimeout(closeMs, () => socket.destroy());
      socket.end();
      await closed;
    },
  };
}

function failed({ host, port }: TcpAddress, cause: unknown): CloudError {
  const code = codeOf(cause);
  const why = code || (cause instanceof Error ? cause.message : 'it closed the connection');
  if (/CERT|SIGNATURE|ALTNAME/.test(code)) {
    return cloudError(
      'COLLECTOR_REFUSED',
      `This machine does not trust the certificate of ${host}:${port} (${code}).`,
      'Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of the collector.',
      { cause },
    );
  }
  return cloudError(
    'COLLECTOR_UNREACHABLE',
    `${host}:${port} cannot be reached: ${why}.`,
    'Check the address after --to, and that the collector runs.',
    { cause },
  );
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
