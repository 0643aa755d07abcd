import * as z from 'zod';

/** What a measured query is: a page of a list, a number of records, one record, figures of groups, or code of the project. */
const kinds = ['list', 'count', 'record', 'aggregate', 'chart', 'action'] as const;

/** One shape of a query, and how its calls went since the agent began to count. It holds names and numbers, and never a value. */
const measuredQuerySchema = z.object({
  /** The shape in words, the same for every call of it: `list orders where status Equal by placed_at descending`. */
  id: z.string(),
  kind: z.enum(kinds),
  /** `null` for charts of the whole agent. */
  collection: z.string().nullable(),
  /** The segment, the chart or the action. */
  name: z.string().nullable(),
  calls: z.int(),
  /** Those that took too long, or read too much. */
  failed: z.int(),
  totalMs: z.number(),
  slowestMs: z.number(),
  /** Half of the calls, and 95 of 100, took at most this long: upper ends of buckets, or the slowest call. */
  medianMs: z.number(),
  p95Ms: z.number(),
  /** Calls by duration, one number for each of `bucketsMs`, and one for longer calls. */
  histogram: z.array(z.int()),
  /** Records that the agent read from databases, and those that it showed. */
  read: z.int(),
  shown: z.int(),
  isSlow: z.boolean(),
  /** Whether much was read to show little. */
  readsMuch: z.boolean(),
});

/** An index that a slow list lacks. Nobody has created it. */
const missingIndexSchema = z.object({
  collection: z.string(),
  columns: z.array(z.string()),
  /** The statement that creates it, in the words of the engine. */
  statement: z.string(),
  /** Ids of the queries that it would serve. */
  queries: z.array(z.string()),
  /** What the planner would do now, one line a step. It holds no values. */
  plan: z.array(z.string()),
  /** The cost as the planner estimates it, without and with the index; `null` where the engine cannot tell. */
  estimate: z.object({ costNow: z.number(), costThen: z.number() }).nullable(),
  /** Why there is no estimate. */
  note: z.string().nullable(),
});

/** Why there is no advice for a slow query. */
const unadvisedReasons = ['code', 'key', 'computed', 'served', 'engine', 'later'] as const;

/** `GET /_internal/insights` of an agent, for administrators and developers. Each host answers for itself. */
export const insightsSchema = z.object({
  /** The host that answers; absent where it has no name. */
  host: z.string().optional(),
  /** When the first worker of this agent began to count. */
  since: z.iso.datetime(),
  calls: z.int(),
  slowerThanMs: z.number(),
  bucketsMs: z.array(z.number()),
  /** What took the most time comes first. */
  queries: z.array(measuredQuerySchema),
  /** Calls of shapes that were too many to keep apart. */
  otherCalls: z.int(),
  /**
   * The workers of the host that answers, and those whose counts are in the answer. `allSince`: from then on every one of them has counted.
   * Absent in answers of older agents, which answer for one worker.
   */
  workers: z.object({ count: z.int(), answered: z.int(), allSince: z.iso.datetime() }).optional(),
  indexes: z.array(missingIndexSchema),
  /**
   * Slow queries without an index that would serve them. `code`: code of the project decides what is asked. `key`: records are found by their
   * key. `computed`: the database does not know the conditions. `served`: there is such an index, or none could serve it. `engine`: the
   * database gives no advice. `later`: others took more time, and were asked about. Absent in answers of older agents.
   */
  unadvised: z.array(z.object({ query: z.string(), reason: z.enum(unadvisedReasons) })).optional(),
  /** What no request has used since every worker counts. */
  unused: z.object({
    collections: z.array(z.string()),
    fields: z.array(
      z.object({ collection: z.string(), kind: z.enum(['column', 'computed', 'imported']), name: z.string() }),
    ),
    customizations: z.array(
      z.object({ collection: z.string().nullable(), kind: z.enum(['segment', 'action', 'chart']), name: z.string() }),
    ),
  }),
});

/** Slow queries that a team knows of, by id: what `check --insights` compares with. */
export const knownQueriesSchema = z.strictObject({
  slowerThanMs: z.number().nonnegative(),
  slow: z.array(z.string()),
});

export type UnadvisedReason = (typeof unadvisedReasons)[number];
export type QueryKind = (typeof kinds)[number];
export type MeasuredQuery = Readonly<z.infer<typeof measuredQuerySchema>>;
export type MissingIndex = Readonly<z.infer<typeof missingIndexSchema>>;
export type Insights = Readonly<z.infer<typeof insightsSchema>>;
export type KnownQueries = Readonly<z.infer<typeof knownQueriesSchema>>;
