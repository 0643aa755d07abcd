export const tailFormats = ['ndjson', 'ocsf', 'cef'] as const;
export type TailFormat = (typeof tailFormats)[number];

/** A row of a log, in the format that was asked for. */
export interface LogLine {
  /** Without its end of line. */
  readonly text: string;
  /** When the row was written, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Rows that are confirmed together. */
export interface LogBatch {
  readonly lines: readonly LogLine[];
  /** The same as the platform sent it: with the lines that an export is verified with. */
  readonly text: string;
  /** Goes on behind the last row. */
  readonly cursor: string;
}

/** A system that takes the rows of a log. */
export interface LogSink {
  /** How much `write` takes at once. */
  readonly limits?: { readonly lines: number; readonly bytes: number };
  /**
   * Resolves when the system has confirmed the rows. An error with `recover: 'retry'` means that it may take them later; every other
   * error ends the tail.
   */
  write(batch: Pick<LogBatch, 'lines' | 'text'>): Promise<void>;
  close?(): Promise<void>;
}
