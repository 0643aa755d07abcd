import * as z from 'zod';
import { keptText } from './kept-text.ts';

/**
 * The marks of MCP sessions. A session is what one person does through one client in one environment. It is marked once its client was given
 * text that outsiders can write; from then on an agent does certain things only when the person agrees. The platform keeps the marks, so that
 * all agents of an environment know them. Only the person ends one.
 */

/** How many places a mark names; the first ones. */
export const maxMarkReads = 50;
/** How many questions of one session may wait for an answer; the oldest give way. */
export const maxOpenAsks = 20;
/** How long a question waits for an answer, and how long a yes holds. */
export const askSeconds = 600;

const name = keptText.max(255);
const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Whose session it is. */
export const mcpSessionSchema = z.strictObject({
  personId: z.int(),
  /** The OAuth client; empty for all programs that came with a token of the person or through pipes. */
  client: keptText.max(2000),
});

/** A place that was read. */
const markReadSchema = z.strictObject({
  collection: name,
  /** Packed; `null` where many records were put together, or code read it. */
  recordId: keptText.max(512).nullable(),
  field: name,
});

/** The same, as the platform keeps it. */
export const keptReadSchema = markReadSchema.extend({ readAt: z.iso.datetime() });

/** The most records that a marked session may be given; `null` for any number. */
const readBoundsSchema = z.strictObject({
  perCall: z.int().positive().nullable(),
  sinceMark: z.int().positive().nullable(),
});

/** `POST /agent/v1/mcp/marks/answers`: what an agent is about to give to a client. */
export const givenAnswerSchema = mcpSessionSchema.extend({
  records: z.int().nonnegative(),
  /** Text that outsiders can write, in the answer. It marks the session. */
  reads: z.array(markReadSchema).max(maxMarkReads),
  /** How many such places, with those that `reads` does not name. */
  readCount: z.int().nonnegative(),
  /** Absent where the person has agreed to the answer. */
  bounds: readBoundsSchema.optional(),
});

/** Whether the answer may be given. Where it may not, nothing was written down. */
export const givenOutcomeSchema = z.object({
  isMarked: z.boolean(),
  isBeyond: z.boolean(),
});

const markSchema = z.object({
  markedAt: z.iso.datetime(),
  /** The first ones. */
  reads: z.array(keptReadSchema),
  readCount: z.int(),
});

/** `POST /agent/v1/mcp/marks/question`: the mark of a session; `null` where it has none. */
export const foundMarkSchema = z.object({ mark: markSchema.nullable() });

/** What the person is shown. */
export const askPreviewSchema = z.strictObject({
  message: keptText.max(1000),
  count: z.int().nonnegative(),
  sample: z.array(z.strictObject({ id: keptText.max(512), label: keptText.max(255).optional() })).max(20),
  /** What would be written, by field, and other arguments of the call. */
  details: z.array(z.strictObject({ name: name, value: keptText.max(600) })).max(60),
});

/** `POST /agent/v1/mcp/asks`: a question to the person. The same call gets the same question while it is open. */
export const askSchema = mcpSessionSchema.extend({
  /** SHA-256 of the person, the client, the tool, its arguments, and what the person is shown. */
  digest,
  tool: name,
  preview: askPreviewSchema,
});

export const askStateSchema = z.object({
  id: z.string(),
  answer: z.enum(['yes', 'no']).nullable(),
  expiresAt: z.iso.datetime(),
  /** The page on which the person answers. */
  url: z.string(),
});

/** `POST /agent/v1/mcp/asks/uses`: a yes is used. It is good for the first run that asks; a run that asks again gets the same answer. */
export const useOfYesSchema = mcpSessionSchema.extend({ digest, runId: z.uuid() });
export const usedYesSchema = z.object({ isAgreed: z.boolean() });

/** A question that waits for the person. */
const openAskSchema = z.object({
  id: z.string(),
  tool: z.string(),
  preview: askPreviewSchema,
  answer: z.enum(['yes', 'no']).nullable(),
  expiresAt: z.iso.datetime(),
});

/** `GET /api/mcp-marks`: one's own; on the platform of one developer everybody's. `DELETE /api/mcp-marks/<id>` clears one. */
export const mcpMarkListSchema = z.object({
  marks: z.array(
    markSchema.extend({
      id: z.int(),
      environment: z.string(),
      client: z.string(),
      /** What the client calls itself; `null` where nobody knows. */
      clientName: z.string().nullable(),
      personId: z.int(),
      /** Records that it was given since then. */
      records: z.int(),
      asks: z.array(openAskSchema),
    }),
  ),
});

/** `POST /api/mcp-asks/<id>`: the answer of the person. */
export const answerAskSchema = z.strictObject({ answer: z.enum(['yes', 'no']) });

export type McpSession = Readonly<z.infer<typeof mcpSessionSchema>>;
export type MarkRead = Readonly<z.infer<typeof markReadSchema>>;
export type KeptRead = Readonly<z.infer<typeof keptReadSchema>>;
export type ReadBounds = Readonly<z.infer<typeof readBoundsSchema>>;
export type GivenAnswer = Readonly<z.infer<typeof givenAnswerSchema>>;
export type GivenOutcome = Readonly<z.infer<typeof givenOutcomeSchema>>;
export type McpMark = Readonly<z.infer<typeof markSchema>>;
export type AskPreview = Readonly<z.infer<typeof askPreviewSchema>>;
export type Ask = Readonly<z.infer<typeof askSchema>>;
export type AskState = Readonly<z.infer<typeof askStateSchema>>;
export type UseOfYes = Readonly<z.infer<typeof useOfYesSchema>>;
type McpMarkList = Readonly<z.infer<typeof mcpMarkListSchema>>;
export type ListedMark = McpMarkList['marks'][number];
export type ListedAsk = ListedMark['asks'][number];
export type AskAnswer = z.infer<typeof answerAskSchema>['answer'];
