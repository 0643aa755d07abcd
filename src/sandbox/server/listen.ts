import type { FastifyInstance } from 'fastify';
import { CloudError } from '#kernel/errors/cloud-error';
import { bracketed } from './own-requests.ts';

export interface PortChoice {
  /** 0 takes any free one. */
  readonly port: number;
  /** It was asked for by number: another one will not do. */
  readonly isExact: boolean;
}

/** Names the process that listens on a port, or `null` where the system does not tell. */
export type DescribePortOwner = (port: number) => Promise<string | null>;

/** Listen, on another port when the usual one is busy. Resolves with the address, without a slash at its end. */
export async function listen(
  server: FastifyInstance,
  host: string,
  { port, isExact }: PortChoice,
  describePortOwner: DescribePortOwner | undefined,
): Promise<string> {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
    if (code !== 'EADDRINUSE') throw unusable(host, port, error);
    if (isExact) throw await portInUse(port, describePortOwner, error);
    await server.listen({ host, port: 0 });
  }
  const address = server.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${bracketed(host)}:${bound}`;
}

async function portInUse(
  port: number,
  describePortOwner: DescribePortOwner | undefined,
  cause: unknown,
): Promise<CloudError> {
  const owner = (await describePortOwner?.(port)) ?? null;
  return new CloudError({
    code: 'MACHINE_PORT_IN_USE',
    message: owner ? `Port ${port} is used by ${owner}.` : `Port ${port} is used by another process.`,
    nextSteps: [
      owner
        ? `Stop ${owner}, or ask for another port; 0 takes any free one.`
        : 'Ask for another port; 0 takes any free one.',
    ],
    safeDetails: { port },
    cause,
  });
}

function unusable(host: string, port: number, cause: unknown): CloudError {
  return new CloudError({
    code: 'MACHINE_ADDRESS_UNUSABLE',
    message: `The local platform cannot listen on ${bracketed(host)}:${port}.`,
    nextSteps: ['Listen on 127.0.0.1 and on a port above 1023.'],
    safeDetails: { host, port },
    cause,
  });
}
