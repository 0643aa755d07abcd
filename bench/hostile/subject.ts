/** What honest clients met. */
export interface Tally {
  readonly millis: number[];
  /** Answers that are not successful, and requests without an answer. */
  readonly refused: string[];
}

/** A server, its honest clients, and what others do to it. */
export interface Subject {
  readonly name: string;
  /** Ask honestly until `signal` ends it. */
  honest(signal: AbortSignal, tally: Tally): Promise<void>;
  /** By name. Each goes on until `signal` ends it, and returns how many requests it sent. */
  readonly floods: Readonly<Record<string, (signal: AbortSignal) => Promise<number>>>;
}

/** Ends with the bench, the last one first. */
export type Stops = (() => Promise<unknown>)[];

/** Ask again and again over `connections` connections until `signal` ends it; how many requests were sent. */
export async function flooded(
  connections: number,
  signal: AbortSignal,
  ask: (connection: number, signal: AbortSignal) => Promise<unknown>,
): Promise<number> {
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_none, connection) => {
      while (!signal.aborted) {
        sent++;
        // What becomes of a hostile request is of no interest here.
        await ask(connection, signal).catch(() => undefined);
      }
    }),
  );
  return sent;
}
