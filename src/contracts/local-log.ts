import * as z from 'zod';

/** Where `dev` keeps its log, from the project on, and where `serve` does with its default state folder. */
export const localLogFolders = ['.vendor-cloud/logs', '.vendor-cloud/host/logs'] as const;

/** A line of a log, as NDJSON has it on disk and `vendor-cloud logs --json` on stdout. */
const logLineSchema = z.object({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  level: z.enum(['Debug', 'Info', 'Warn', 'Error']),
  /** `dev`, `serve`, or the name of a host. */
  source: z.string(),
  text: z.string(),
});

/** On disk, a line also names the run of the process that wrote it, and its number within that run. */
export const localLogLineSchema = logLineSchema.extend({ run: z.string(), sequence: z.number().int().positive() });

export type LogLine = z.infer<typeof logLineSchema>;
export type LocalLogLine = z.infer<typeof localLogLineSchema>;
