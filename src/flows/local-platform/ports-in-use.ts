import type { WantedPort } from '#kernel/ports/tcp';
import type { FlowContext } from '../flow-context.ts';

/** A server of a session: what it is called in a sentence, the port it was to have, and where it listens. */
interface ListeningServer {
  readonly name: string;
  readonly wanted: WantedPort;
  readonly url: string;
}

/** One sentence for each server that listens on another port than usual, with the process that has the usual one. */
export async function portsInUse(
  { machine }: Pick<FlowContext, 'machine'>,
  servers: readonly ListeningServer[],
): Promise<readonly string[]> {
  const moved = servers.filter(({ wanted, url }) => wanted.port !== 0 && portOf(url) !== wanted.port);
  return Promise.all(
    moved.map(async ({ name, wanted, url }) => {
      const owner = (await machine.portOwner(wanted.port)) ?? 'another process';
      return `${name} listens on port ${portOf(url)}, because ${owner} uses port ${wanted.port}.`;
    }),
  );
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}
