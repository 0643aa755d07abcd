import { Worker } from 'node:worker_threads';
import { CloudError, type CloudErrorInput, cloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import { conditionsIn, moduleUrl } from '#node/system/package-files';
import type { ScanAnswer, ScanRequest, ScanWorkerData } from './scan-protocol.ts';

export interface ScanReaderInput {
  /** Of the database. */
  readonly path: string;
  /** The module that the thread runs. */
  readonly workerUrl?: URL | undefined;
}

interface Running {
  resolve(rows: readonly SqlRow[]): void;
  reject(error: CloudError): void;
}

/** How long the end of a thread is waited for: a statement that nothing can stop must not hold up the agent's own end. */
const endingMs = 1_000;

/** A thread that reads the database, one statement at a time. While nobody waits for it, it keeps no process alive. */
export class ScanReader {
  readonly #worker: Worker;
  readonly #stoppedId = new Int32Array(new SharedArrayBuffer(4));
  readonly #onEnd: (reader: ScanReader) => void;
  #running: Running | undefined;
  #lastId = 0;
  #isEnded = false;

  /** @param onEnd called when the thread has ended. */
  constructor(
    { path: database, workerUrl = moduleUrl('#runtime/data-sources/sqlite/scan-worker') }: ScanReaderInput,
    onEnd: (reader: ScanReader) => void,
  ) {
    this.#onEnd = onEnd;
    const workerData: ScanWorkerData = { path: database, stopped: this.#stoppedId.buffer as SharedArrayBuffer };
    this.#worker = new Worker(workerUrl, { workerData, execArgv: conditionsIn(process.execArgv), name: 'sqlite scan' });
    this.#worker.unref();
    this.#worker.on('message', (answer: ScanAnswer) => this.#receive(answer));
    this.#worker.on('error', (error) => this.#lose(error));
    this.#worker.on('exit', () => this.#lose(undefined));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Carry out a statement. Settles when the thread is free again.
   *
   * @throws `DATABASE_QUERY_FAILED`, `INTERRUPTED` after `stop()`, `DATABASE_UNREACHABLE` when the thread ends meanwhile.
   */
  all(sql: string, parameters: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded) return reject(lost(undefined));
      this.#running = { resolve, reject };
      this.#lastId += 1;
      this.#worker.ref();
      this.#worker.postMessage({ id: this.#lastId, sql, parameters } satisfies ScanRequest);
    });
  }

  /** Make the statement that runs end soon, and no longer keep the process alive for it. */
  stop(): void {
    Atomics.store(this.#stoppedId, 0, this.#lastId);
    this.#worker.unref();
  }

  async close(): Promise<void> {
    this.stop();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, endingMs);
    });
    await Promise.race([this.#worker.terminate(), patience]);
    clearTimeout(timer);
    this.#lose(undefined);
  }

  #receive(answer: ScanAnswer): void {
    const running = this.#running;
    this.#running = undefined;
    this.#worker.unref();
    if (answer.kind === 'refusal') running?.reject(revived(answer));
    else running?.resolve(answer.hasBinary ? answer.rows.map(withBuffers) : answer.rows);
  }

  #lose(cause: Error | undefined): void {
    this.#isEnded = true;
    this.#running?.reject(lost(cause));
    this.#running = undefined;
    this.#onEnd(this);
  }
}

/** Between threads a Buffer becomes a plain array of bytes. */
function withBuffers(row: SqlRow): SqlRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
    ]),
  );
}

function revived({ error, safeDetails, reason }: Extract<ScanAnswer, { kind: 'refusal' }>): CloudError {
  const cause = reason === undefined ? {} : { cause: new Error(reason) };
  // A report satisfied CloudErrorInput when it was thrown; only the link between code and steps is lost to the type.
  return new CloudError({ ...error, safeDetails, ...cause } as CloudErrorInput);
}

function lost(cause: Error | undefined): CloudError {
  return cloudError(
    'DATABASE_UNREACHABLE',
    'The thread that read the database has ended.',
    'Try again: the next query starts another one.',
    { cause },
  );
}
