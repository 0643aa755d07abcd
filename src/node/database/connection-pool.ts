import { type ConnectionQueue, type ConnectionRequest, createConnectionQueue } from './connection-queue.ts';
import { closed, interrupted } from './database-errors.ts';

/** How a pool opens and closes the connections of one engine. */
export interface ConnectionSource<Connection> {
  /**
   * Open a connection, in limited time.
   *
   * @param onLost called when the connection breaks later.
   */
  open(onLost: (connection: Connection) => void): Promise<Connection>;
  /** Whether a connection can carry out further statements. */
  isUsable(connection: Connection): boolean;
  /** Close a connection, in limited time. Never rejects. */
  close(connection: Connection): Promise<void>;
}

export interface PoolLimits {
  /** How many connections are open at once, at most. */
  readonly size: number;
  /** How long a request waits for one of the connections in use, in milliseconds. */
  readonly waitMs: number;
  /** How long a connection stays open that nobody needs, in milliseconds. */
  readonly keptIdleMs: number;
}

interface IdleConnection<Connection> {
  readonly connection: Connection;
  readonly timer: NodeJS.Timeout;
}

/**
 * A limited number of connections to a database, opened when they are needed. Requests that find none free wait in one
 * queue, and a connection that is released goes straight to the request that came first.
 *
 * @template Shareable what a request may send over a connection that others use, instead of waiting for its own.
 */
export class ConnectionPool<Connection, Shareable = never> {
  readonly #source: ConnectionSource<Connection>;
  readonly #size: number;
  readonly #keptIdleMs: number;
  readonly #queue: ConnectionQueue<Connection, Shareable>;
  /** The one that was released last comes last, and is used first. */
  readonly #idle: IdleConnection<Connection>[] = [];
  readonly #beingClosed = new Set<Promise<void>>();
  #open = 0;
  #opening = 0;
  #closing: PromiseWithResolvers<void> | undefined;

  constructor(source: ConnectionSource<Connection>, { size, waitMs, keptIdleMs }: PoolLimits) {
    this.#source = source;
    this.#size = size;
    this.#keptIdleMs = keptIdleMs;
    this.#queue = createConnectionQueue(size, waitMs);
  }

  /** Serve a request at once or later. Refuses it with `DATABASE_BUSY`, `INTERRUPTED`, or why no connection could be opened. */
  request(request: ConnectionRequest<Connection, Shareable>): void {
    if (this.#closing) request.refuse(closed());
    else if (request.signal?.aborted) request.refuse(interrupted());
    else this.#serveOrQueue(request);
  }

  /** Check out a connection: nobody else uses it until it is released. Rejects as `request` refuses. */
  acquire(signal?: AbortSignal): Promise<Connection> {
    return new Promise((serve, refuse) => this.request({ signal, serve, refuse }));
  }

  /** Return a connection. One that cannot be used any more is closed. */
  release(connection: Connection): void {
    if (this.#source.isUsable(connection)) this.#passOn(connection);
    else this.#discard(connection);
  }

  /** Offer the requests in the queue room on a connection in use: `take` gets one after another, until it returns `false`. */
  offerRoom(take: (shareable: Shareable) => boolean): void {
    this.#queue.offerRoom(take);
  }

  /** Whether a request in the queue could be sent over a connection that others use. */
  hasShareable(): boolean {
    return this.#queue.hasShareable();
  }

  areAllInUse(): boolean {
    return this.#idle.length === 0 && this.openConnections() >= this.#size;
  }

  /** Whether a request waits for a connection in use. */
  isWaitedFor(): boolean {
    return this.#queue.length() > this.#opening;
  }

  isOpen(): boolean {
    return this.#closing === undefined;
  }

  /** How many connections are open or being opened. */
  openConnections(): number {
    return this.#open + this.#opening;
  }

  /** Refuse all requests, also those in the queue, and close each connection as soon as it is not in use any more. */
  async close(): Promise<void> {
    this.#closing ??= Promise.withResolvers();
    for (let request = this.#queue.takeFirst(); request; request = this.#queue.takeFirst()) request.refuse(closed());
    for (const { connection } of [...this.#idle]) this.#discardIdle(connection);
    this.#endWhenEmpty();
    await this.#closing.promise;
    await Promise.all(this.#beingClosed);
  }

  #serveOrQueue(request: ConnectionRequest<Connection, Shareable>): void {
    const connection = this.#takeIdle();
    if (connection) {
      request.serve(connection);
      return;
    }
    // A connection that is being opened has a time limit of its own, and fails with a better reason.
    const isBeingOpened = this.#opening > this.#queue.length() || this.openConnections() < this.#size;
    this.#queue.join(request, !isBeingOpened);
    this.#openForWaiting();
  }

  #takeIdle(): Connection | undefined {
    for (let last = this.#idle.pop(); last; last = this.#idle.pop()) {
      clearTimeout(last.timer);
      if (this.#source.isUsable(last.connection)) return last.connection;
      this.#discard(last.connection);
    }
    return undefined;
  }

  /** Open a connection for each request in the queue, as far as the size allows. */
  #openForWaiting(): void {
    while (this.#opening < this.#queue.length() && this.openConnections() < this.#size) {
      this.#opening += 1;
      this.#source
        .open((connection) => this.#discardIdle(connection))
        .then(
          (connection) => this.#onOpened(connection),
          (error: unknown) => this.#onNotOpened(error),
        );
    }
  }

  #onOpened(connection: Connection): void {
    this.#opening -= 1;
    this.#open += 1;
    this.#passOn(connection);
  }

  /** The failure concerns nobody when the queue is empty by now: the next request tries again. */
  #onNotOpened(error: unknown): void {
    this.#opening -= 1;
    this.#queue.takeFirst()?.refuse(error);
    this.#openForWaiting();
    this.#endWhenEmpty();
  }

  #passOn(connection: Connection): void {
    const first = this.#queue.takeFirst();
    if (first) first.serve(connection);
    else if (this.#closing) this.#discard(connection);
    else this.#keepIdle(connection);
  }

  /** Its timer keeps no process alive: whether an idle connection does is for the driver to say. */
  #keepIdle(connection: Connection): void {
    const timer = setTimeout(() => this.#discardIdle(connection), this.#keptIdleMs).unref();
    this.#idle.push({ connection, timer });
  }

  #discardIdle(connection: Connection): void {
    const place = this.#idle.findIndex((kept) => kept.connection === connection);
    if (place === -1) return;
    clearTimeout(this.#idle.splice(place, 1)[0]?.timer);
    this.#discard(connection);
  }

  #discard(connection: Connection): void {
    this.#open -= 1;
    const closed = this.#source.close(connection).finally(() => this.#beingClosed.delete(closed));
    this.#beingClosed.add(closed);
    this.#openForWaiting();
    this.#endWhenEmpty();
  }

  #endWhenEmpty(): void {
    if (this.openConnections() === 0) this.#closing?.resolve();
  }
}
