import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** The parts of a line that are hashed: a body ends before its person, and the person is committed to with a salt. */
export interface HashedParts {
  readonly body: string;
  readonly user: string;
  readonly salt: string;
}

const hashedParts = /^(?<body>.*)"user":(?<user>\{[^}]*\}),"version":2,"salts":\{"user":"(?<salt>[^"]*)"/;

export function hashedPartsOf(line: string): readonly HashedParts[] {
  const { body, user, salt } = hashedParts.exec(line)?.groups ?? {};
  return body !== undefined && user !== undefined && salt !== undefined ? [{ body, user, salt }] : [];
}

const linkBytes = 1 + 8 + 36 + 8 + 32 + 32;

/** Seconds to hash what each row needs: its body, its link, and the commitment of who did it. Texts are joined, as every reader of lines has to. */
export function bareLoopSeconds(rows: readonly HashedParts[]): number {
  const link = Buffer.alloc(linkBytes);
  const begun = performance.now();
  for (const { body, user, salt } of rows) {
    hash('sha256', `\0${body}"version":2}`);
    hash('sha256', `\u0002audit/v2user\0${salt}${user}`);
    hash('sha256', link);
  }
  return (performance.now() - begun) / 1000;
}

/** The same by a thread for each processor at once, because a processor that has busy neighbours is slower. */
export function openBareThreads(rows: readonly HashedParts[]) {
  const count = availableParallelism();
  const size = Math.ceil(rows.length / count);
  const workers = Array.from({ length: count }, (_, index) => {
    const own = rows.slice(index * size, (index + 1) * size);
    return new Worker(new URL(import.meta.url), { workerData: own, execArgv: ['--conditions=vendor-source'] });
  });
  return {
    async run(): Promise<void> {
      await Promise.all(
        workers.map((worker) => {
          const done = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
          worker.postMessage('run');
          return done;
        }),
      );
    },
    async close(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  port.on('message', () => port.postMessage(bareLoopSeconds(workerData as readonly HashedParts[])));
}
