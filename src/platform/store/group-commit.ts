import { setImmediate } from 'node:timers/promises';

/** What a group of transactions is carried out on. */
export interface GroupedConnection {
  execute(script: string): void;
  /** Whether a transaction is open; some failures make the database itself end it. */
  isInTransaction(): boolean;
}

interface Job {
  readonly work: () => Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** One group is one commit, and one write to the disk. */
const maxGroupSize = 256;

/**
 * Carries out transactions one after another and commits those that wait together: the disk is waited for once, not once
 * for each. A transaction that fails leaves nothing, and does not harm the others.
 */
export class GroupCommit {
  readonly #connection: GroupedConnection;
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(connection: GroupedConnection) {
    this.#connection = connection;
  }

  /** Resolves once what `work` did is committed. */
  run(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ work, resolve, reject });
    this.#running ??= this.#runAll();
    return promise;
  }

  /** Resolves when nothing is waiting any more. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Never rejects: what fails rejects its jobs. */
  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Requests that arrived while the disk was waited for are read first, and join.
      await setImmediate();
      const jobs = this.#waiting.splice(0, maxGroupSize);
      try {
        await this.#runGroup(jobs);
      } catch (error) {
        // A job that was rejected before keeps its own reason.
        for (const job of jobs) job.reject(error);
      }
    }
    this.#running = undefined;
  }

  async #runGroup(jobs: readonly Job[]): Promise<void> {
    const done: Job[] = [];
    this.#connection.execute('begin immediate');
    try {
      for (const job of jobs) {
        if (await this.#succeeds(job)) done.push(job);
      }
      this.#connection.execute('commit');
    } catch (error) {
      if (this.#connection.isInTransaction()) this.#connection.execute('rollback');
      throw error;
    }
    for (const job of done) job.resolve();
  }

  /** Throws when the whole group is lost. */
  async #succeeds(job: Job): Promise<boolean> {
    this.#connection.execute('savepoint job');
    try {
      await job.work();
      this.#connection.execute('release job');
      return true;
    } catch (error) {
      // A full disk ends the transaction of the whole group.
      if (!this.#connection.isInTransaction()) throw error;
      this.#connection.execute('rollback to job; release job');
      job.reject(error);
      return false;
    }
  }
}
