import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { type TailFormat, tailFormats } from './log-sink.ts';

const stateSchema = z.strictObject({
  object: z.literal('tailState'),
  version: z.literal(1),
  /** What `logName` says. */
  log: z.string(),
  format: z.enum(tailFormats),
  cursor: z.string(),
});

/** Where a tail goes on after it was stopped. */
export interface TailState {
  read(): Promise<string | undefined>;
  /** The file has the former cursor or the new one, whatever happens. */
  write(cursor: string): Promise<void>;
}

/** @param log name of the log, such as `shop/development`. A state is of one log in one format. */
export function tailState(fs: FileSystem, file: string, log: string, format: TailFormat): TailState {
  return {
    async read() {
      const text = await fs.readText(file);
      if (text === null) return undefined;
      const state = parsed(text, file);
      if (state.log === log && state.format === format) return state.cursor;
      throw invalid(
        `${file} is the state of a tail of the log ${state.log} as ${state.format}, not of ${log} as ${format}.`,
        'Name another file with --state.',
      );
    },
    write: (cursor) => {
      const state: z.output<typeof stateSchema> = { object: 'tailState', version: 1, log, format, cursor };
      return fs.writeAtomically(file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    },
  };
}

function parsed(text: string, file: string): z.output<typeof stateSchema> {
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw invalid(
      `${file} is not a state of a tail: it was cut off, or somebody changed it.`,
      'Put a copy of it back. Or remove it and run the command with --from-start, which sends every row again.',
      cause,
    );
  }
}

export function invalid(message: string, nextStep: string, cause?: unknown): CloudError {
  return cloudError('TAIL_STATE_INVALID', message, nextStep, { cause });
}
