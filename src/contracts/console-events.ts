import * as z from 'zod';

/**
 * What `GET /api/events` tells a page, as server-sent events. Each `data` is one of these as JSON. It says that something has changed, and
 * holds nothing of it: the page asks for what its person may see.
 */
export type ConsoleEvent =
  /** What collections look like, or what a team sees of them. */
  | { readonly type: 'schema' }
  /** Rights, people, teams, sessions or rules of addresses. */
  | { readonly type: 'rights' }
  | { readonly type: 'deployment' }
  /** Records of a collection that the person may browse; at most once a second for each collection. */
  | { readonly type: 'records'; readonly collection: string }
  /** The activity log has another row: for those who may read it; at most once a second. */
  | { readonly type: 'log' }
  /** Notes on the records of a collection that the person may browse. */
  | { readonly type: 'note'; readonly collection: string }
  /** A request for an approval was made or answered, or somebody said something about one: the page asks which it may know of. */
  | { readonly type: 'approval' }
  /** An event of `dev`, as in docs/dev-events.md: for developers, on their own platform. */
  | { readonly type: 'dev'; readonly event: Readonly<Record<string, unknown>> };

/** The environment is a parameter, because `EventSource` sends no headers of a page. */
export const consoleEventsQuerySchema = z.strictObject({ environment: z.string().optional() });

/** `GET /api/dev/log`: the newest lines that the agent of `dev` has logged, the oldest first. There are none where nobody develops. For administrators and developers. */
export const devLogSchema = z.object({
  lines: z.array(
    z.object({
      /** ISO 8601. */
      time: z.string(),
      level: z.enum(['Debug', 'Info', 'Warn', 'Error']),
      message: z.string(),
      /** Of a request its status, duration and correlation id. */
      facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
  ),
});

export type DevLog = z.infer<typeof devLogSchema>;
