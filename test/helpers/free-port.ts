import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections: so a server that was stopped finds its port free when it comes back. Above 10080,
 * the last one that `fetch` does not open.
 */
const [lowest, highest] = [10_081, 32_000];

/** A port of the loopback that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
