import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const head = (path: string) =>
  `POST ${path}/authentication HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

/** Keep this many connections that send the head of a request and one byte of its body, until `signal` ends them. */
export async function holdSlowly(url: URL, connections: number, signal: AbortSignal): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (!signal.aborted) {
        await closed(send(url, head(url.pathname)), signal);
        await pause(100);
      }
    }),
  );
}

const broken = [
  'GET / HTTP/9\r\n\r\n',
  '\u0000\u0001',
  'POST /service/orders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz',
];

/** Send what is not a request, or half of one, and go away; again and again until `signal` ends it. */
export async function breakOff(url: URL, signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const socket = send(url, broken[round % broken.length] ?? '');
    await pause(50);
    socket.destroy();
  }
}

function send({ port, hostname }: URL, text: string): Socket {
  const socket = connect(Number(port), hostname);
  // The agent closes such connections; how is of no interest here.
  socket.on('error', () => undefined).resume();
  socket.write(text);
  return socket;
}

function closed(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => socket.destroy();
    signal.addEventListener('abort', end, { once: true });
    socket.once('close', () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
  });
}
