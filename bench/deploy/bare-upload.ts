import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';

const program = path.join(import.meta.dirname, 'bare-worker.js');

/** The least that a deployment does beside the push: an upload of the bundle, and a worker that starts with it and answers. */
export interface BareUpload {
  serveAgain(): Promise<void>;
  stop(): Promise<void>;
}

export async function startBareUpload(entry: string): Promise<BareUpload> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['@vendor/cloud'],
    write: false,
  });
  const bytes = outputFiles[0]?.contents ?? new Uint8Array();
  let received = 0;
  const server = createServer((request, response) => {
    received = 0;
    request.on('data', (part: Uint8Array) => {
      received += part.length;
    });
    request.on('end', () => response.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    async serveAgain() {
      await (await fetch(`http://127.0.0.1:${port}`, { method: 'PUT', body: Buffer.from(bytes) })).arrayBuffer();
      assert.equal(received, bytes.length);
      const worker = new Worker(program, { workerData: { code: new TextDecoder().decode(bytes) } });
      const [served] = (await once(worker, 'message')) as [number];
      const names: unknown = await (await fetch(`http://127.0.0.1:${served}`)).json();
      assert.deepEqual(names, ['default', 'filler']);
      await worker.terminate();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
