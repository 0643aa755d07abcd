import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import type { Machine } from '#kernel/ports/machine';

const listeningState = '0A';
const socketTables = ['/proc/net/tcp', '/proc/net/tcp6'];

/**
 * The process that listens on a TCP port of this machine, as `name (pid 123)`. `null` where the system does not tell:
 * outside Linux, or for a process of another user.
 */
export async function describePortOwner(port: number): Promise<string | null> {
  const sockets = new Set((await Promise.all(socketTables.map((table) => listeningSockets(table, port)))).flat());
  if (sockets.size === 0) return null;
  for (const pid of (await namesIn('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (await holdsOneOf(pid, sockets)) return `${await processName(pid)} (pid ${pid})`;
  }
  return null;
}

/** Links of the form `socket:[inode]` of the sockets that listen on the port. */
async function listeningSockets(table: string, port: number): Promise<string[]> {
  const text = await readFile(table, 'utf8').catch(() => '');
  return text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const localPort = Number.parseInt(local.split(':')[1] ?? '', 16);
      return state === listeningState && localPort === port ? [`socket:[${inode}]`] : [];
    });
}

async function holdsOneOf(pid: string, sockets: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  for (const descriptor of await namesIn(folder)) {
    // Descriptors come and go while they are looked at, and those of other users cannot be read.
    const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
    if (sockets.has(target)) return true;
  }
  return false;
}

/** The name of the program: the command line would tell more, but may hold secrets. */
async function processName(pid: string): Promise<string> {
  const program = await readlink(`/proc/${pid}/exe`).catch(() => '');
  return path.basename(program) || 'a process';
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

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
