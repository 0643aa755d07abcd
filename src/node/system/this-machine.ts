import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Machine } from '#kernel/ports/machine';
import { describePortOwner } from './port-owner.ts';

/** The machine that this process runs on. */
export const thisMachine: Machine = {
  nodeVersion: process.versions.node,
  system: process.platform,
  architecture: process.arch,
  portOwner: describePortOwner,
  async isPortFree(port) {
    const server = createServer();
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return true;
    } catch {
      return false; // Whatever the reason is, no server of ours can listen there.
    } finally {
      server.close();
    }
  },
};
