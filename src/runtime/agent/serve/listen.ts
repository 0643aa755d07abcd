import { once } from 'node:events';
import type { Server } from 'node:http';
import { CloudError } from '#kernel/errors/cloud-error';

/** The port somebody wants a server on. */
export interface PortWish {
  /** 0 takes any free one. */
  readonly port: number;
  /** Fail when the port is taken, instead of taking another. */
  readonly isExact: boolean;
}

/** Who listens on a port, in words, where the system tells. */
export type DescribePortOwner = (port: number) => Promise<string | null>;

/**
 * Listen on the wanted port, or on any free one where that is taken and was not asked for by number. Resolves with the
 * port. Rejects with `MACHINE_PORT_IN_USE`.
 */
export async function listenOn(
  server: Server,
  host: string,
  { port, isExact }: PortWish,
  describePortOwner?: DescribePortOwner,
): Promise<number> {
  try {
    return await listenOnce(server, host, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const isTaken = code === 'EADDRINUSE';
    if (isTaken && !isExact) return listenOnce(server, host, 0);
    if (!isTaken && code !== 'EACCES') throw error;
    const owner = isTaken ? await describePortOwner?.(port) : undefined;
    throw new CloudError({
      code: 'MACHINE_PORT_IN_USE',
      message: isTaken
        ? `Port ${port} is in use${owner ? ` by ${owner}` : ''}.`
        : `The system does not let this process listen on port ${port}.`,
      nextSteps: ['Stop the process that uses the port, or ask for another port; 0 takes any free one.'],
      safeDetails: { port },
      cause: error,
    });
  }
}

async function listenOnce(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port });
  // Rejects with the error event, should that come first.
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new TypeError('The server listens on no port.');
  return address.port;
}
