import { spawn } from 'node:child_process';
import path from 'node:path';

const tsc = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const separator = '\r\n\r\n';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The language server of TypeScript 7, as an editor talks to it. */
export interface LanguageServer {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  stop(): void;
}

/** Start it for the project in `folder`. */
export async function startLanguageServer(folder: string): Promise<LanguageServer> {
  const server = spawn(process.execPath, [tsc, '--lsp', '--stdio'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const pending = new Map<number | string, PromiseWithResolvers<unknown>>();
  let received = Buffer.alloc(0);
  let lastId = 0;
  const send = (message: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}${separator}${body}`);
  };
  const take = (message: Message) => {
    if (message.id === undefined) return;
    // What the server asks for (settings, watchers) is answered with nothing.
    if (message.method !== undefined) return send({ id: message.id, result: null });
    const waiting = pending.get(message.id);
    pending.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  };
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf(separator);
      const length = Number(/Content-Length: (\d+)/i.exec(received.toString('latin1', 0, Math.max(end, 0)))?.[1]);
      const start = end + separator.length;
      if (end < 0 || received.length < start + length) return;
      const text = received.toString('utf8', start, start + length);
      received = received.subarray(start + length);
      take(JSON.parse(text) as Message);
    }
  });
  server.once('exit', () => {
    for (const waiting of pending.values()) waiting.reject(new Error('The language server has ended.'));
  });
  const request = (method: string, params: unknown) => {
    lastId += 1;
    const waiting = Promise.withResolvers<unknown>();
    pending.set(lastId, waiting);
    send({ id: lastId, method, params });
    return waiting.promise;
  };
  await request('initialize', { processId: process.pid, rootUri: `file://${folder}`, capabilities: {} });
  send({ method: 'initialized', params: {} });
  return {
    request,
    notify: (method, params) => send({ method, params }),
    stop: () => void server.kill(),
  };
}
