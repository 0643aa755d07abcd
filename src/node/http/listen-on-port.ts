import { once } from 'node:events';
import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { WantedPort } from '#kernel/ports/tcp';
import { describePortOwner } from '../system/this-machine.ts';

/** How long a port is waited for that was asked for by number: a server that ends leaves it a moment later. In milliseconds. */
const patienceMs = 2_000;
const pauseMs = 50;

/**
 * Ports above 1023 that browsers and `fetch` do not open, because other protocols use them. A system whose range of free ports was widened
 * gives them too. Source: the bad ports of the WHATWG Fetch standard.
 */
const portsOfOtherProtocols: ReadonlySet<number> = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Listen on the wanted port. When it is busy, wait for it a little; when the user did not ask for it by number, listen on any free one
 * at once that a browser opens. Resolves with the port.
 *
 * Rejects with `MACHINE_PORT_IN_USE`, which names the process on the port where the system tells, or with
 * `MACHINE_ADDRESS_UNUSABLE`.
 */
export async function listenOnPort(server: Server, host: string, wanted: WantedPort): Promise<number> {
  const { port, isExact, isShared } = wanted;
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await (port === 0 ? listenOnAny(server, host, wanted) : listenOnce(server, host, wanted));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      if (error.code !== 'EADDRINUSE') throw addressUnusable(host, port, error);
      if (!isExact) return listenOnPort(server, host, { port: 0, isExact: true, ...(isShared ? { isShared } : {}) });
      if (waitedMs >= patienceMs) throw await portInUse(wanted, error);
    }
    await delay(pauseMs);
  }
}

/** Listen on a free port that a browser opens. */
async function listenOnAny(server: Server, host: string, wanted: WantedPort): Promise<number> {
  for (;;) {
    const port = await listenOnce(server, host, wanted);
    if (!portsOfOtherProtocols.has(port)) return port;
    await once(server.close(), 'close');
  }
}

async function listenOnce(server: Server, host: string, { port, isShared = false }: WantedPort): Promise<number> {
  server.listen({ host, port, reusePort: isShared });
  // Rejects when the server emits an error instead.
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('The server listens on no port.');
  return address.port;
}

/** Whether the operating system refused. Any other error is a mistake in the call. */
function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

async function portInUse({ port, flag }: WantedPort, cause: Error): Promise<CloudError> {
  const owner = await describePortOwner(port);
  const by = flag === undefined ? '' : ` with ${flag}`;
  const anotherPort = `ask for another port${by}; 0 takes any free one.`;
  return cloudError(
    'MACHINE_PORT_IN_USE',
    `Port ${port} is used by ${owner ?? 'another process'}.`,
    `Stop ${owner ?? 'the process that uses it'}, or ${anotherPort}`,
    { safeDetails: { port }, cause },
  );
}

function addressUnusable(host: string, port: number, cause: Error & { readonly code: string }): CloudError {
  return cloudError(
    'MACHINE_ADDRESS_UNUSABLE',
    `The system does not let this process listen on ${hostInUrl(host)}:${port} (${cause.code}).`,
    'Listen on 127.0.0.1 and on a port above 1023.',
    { safeDetails: { host, port }, cause },
  );
}

/** A host name or an address as a URL writes it: an IPv6 address is in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Stop a server: it takes no new connections, requests in flight get `drainMs` to end, then their connections are cut. A client
 * that keeps its connection for a next request does not hold the server open. The server may be opened again afterwards.
 */
export async function stopServer(server: Server, drainMs: number): Promise<void> {
  if (!server.listening) return;
  const { keepAliveTimeout, keepAliveTimeoutBuffer } = server;
  // A connection closes this many milliseconds after the answer that is in flight on it now.
  server.keepAliveTimeout = 1;
  server.keepAliveTimeoutBuffer = 0;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearTimeout(cut);
  Object.assign(server, { keepAliveTimeout, keepAliveTimeoutBuffer });
}
