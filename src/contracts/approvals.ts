import * as z from 'zod';
import { keptText } from './kept-text.ts';
import { schemaFieldTypeSchema } from './schema-document.ts';

/**
 * Requests to run an action that needs an approval. The agent looks at the action, the records and the form, and files the request at the
 * platform. Somebody else grants it at the agent, which looks at all of it again and runs the action in the name of who asked. Form values and
 * what was shown of the records are sealed at the platform, and only agents open them: they know who may read the records.
 */

/** A request that nobody answers within this time lapses. */
export const approvalDays = 7;
/** How long the platform keeps the values of a request that was answered. */
export const keptContentDays = 30;
/** How many records one request is about at most. */
export const maxApprovalRecords = 100;
/** How many requests of one person may wait in one environment. */
export const maxOpenApprovals = 50;
/** Of the form values and the shown records together, as JSON. */
export const maxApprovalBytes = 512 * 1024;
/** Of the message and the HTML that an approved action answered, each. What is longer is cut, or left out. */
export const maxResultCharacters = 64 * 1024;
/** How many comments one request holds. */
export const maxApprovalComments = 100;

const name = keptText.min(1).max(255);
export const approvalCommentSchema = keptText.trim().min(1).max(2000);
const actingClient = z.object({ id: z.string(), name: z.string(), grant: z.string().optional() });
const attributes = z.record(z.string(), z.unknown());

/** What an approver decides about. */
const contentSchema = z.object({
  /** Packed ids; none for a Global action. */
  recordIds: z.array(keptText.max(512)).max(maxApprovalRecords),
  /** Of the form, as the client sent them: keys packed, files as data URIs. */
  values: attributes,
  /** The records as the person saw them who asked, in the order of the ids. */
  shown: z.array(z.object({ id: z.string(), values: attributes })).max(maxApprovalRecords),
  timezone: z.string(),
});

/** `POST /agent/v1/approvals`, header `service-secret-key`: somebody asks for an approval, and may run the action with one. */
export const fileApprovalSchema = z.strictObject({
  personId: z.int(),
  /** The program that asks for the person. */
  client: actingClient.optional(),
  collection: name,
  action: name,
  comment: approvalCommentSchema.optional(),
  content: contentSchema,
});

const approvalStates = ['asked', 'granted', 'refused', 'withdrawn', 'lapsed'] as const;
/** Of a request that was granted: how the run ended. `null` while it runs, and where the agent ended before it knew. */
const outcome = z.enum(['succeeded', 'failed']).nullable();

/**
 * What an approved action answered, for who asked and who may approve it. A file goes to who granted, and only its name is kept. So is not
 * what their browser was asked to call.
 */
const approvalResultSchema = z.object({
  type: z.enum(['success', 'error', 'webhook', 'file', 'redirect']),
  message: z.string().max(maxResultCharacters).optional(),
  html: z.string().max(maxResultCharacters).optional(),
  /** Whether it answered with more HTML than is kept. */
  isHtmlLeftOut: z.boolean().optional(),
  fileName: z.string().max(1_000).optional(),
  /** Where the console was asked to go. */
  path: z.string().max(8_000).optional(),
});

/** The answer to an agent that has filed a request. The same request gets the same one while it waits. */
export const filedApprovalSchema = z.object({
  id: z.int(),
  state: z.enum(approvalStates),
  lapsesAt: z.iso.datetime(),
  /** The page where people answer. */
  url: z.string(),
});

/** The same from a platform that sends mails: with the members whose roles may grant the request on some records at least. */
export const fileAnswerSchema = filedApprovalSchema.extend({ candidates: z.array(z.int()).optional() });

/** `POST /agent/v1/approvals/<id>/approvers`: who may grant a request, as the agent has found with its records. Mails go to them. */
export const tellApproversSchema = z.strictObject({ personIds: z.array(z.int()).max(10_000) });

/** `GET /agent/v1/approvals/<id>`: all of a request, for the agents of its environment. */
export const openedApprovalSchema = z.object({
  id: z.int(),
  state: z.enum(approvalStates),
  personId: z.int(),
  client: actingClient.nullable(),
  collection: z.string(),
  action: z.string(),
  lapsesAt: z.iso.datetime(),
  /** Absent in answers of older platforms. */
  outcome: outcome.optional(),
  url: z.string().optional(),
  /** `null` once it is not kept any more. */
  content: contentSchema.nullable(),
  /** `null` before the action has run, and once it is not kept any more. Absent in answers of older platforms. */
  result: approvalResultSchema.nullish(),
  /** Who granted it, and has a file that the action made. */
  decidedBy: z.string().nullish(),
});

/**
 * `POST /agent/v1/approvals/<id>/grant`: somebody grants a request, and may. Of several at once one is first. A run that asks again gets the
 * same answer.
 */
export const grantApprovalSchema = z.strictObject({
  approverId: z.int(),
  runId: z.uuid(),
  comment: approvalCommentSchema.optional(),
});

/** The answer to a grant. Platforms of older versions keep no results. */
export const grantedApprovalSchema = filedApprovalSchema.extend({ keepsResult: z.boolean().optional() });

/** `POST /agent/v1/approvals/<id>/outcome` */
export const approvalOutcomeSchema = z.strictObject({
  runId: z.uuid(),
  outcome: outcome.unwrap(),
  result: approvalResultSchema.optional(),
});

const person = z.object({ id: z.int(), name: z.string(), email: z.string() });

/** A request as people see it who may know of it. It holds no values. */
export const approvalSchema = z.object({
  id: z.int(),
  environment: z.string(),
  /** Who asks. */
  person,
  /** The program that asked for the person. */
  client: z.string().nullable(),
  collection: z.string(),
  action: z.string(),
  /** How many records it is about. */
  records: z.int(),
  state: z.enum(approvalStates),
  askedAt: z.iso.datetime(),
  lapsesAt: z.iso.datetime(),
  /** Who granted or refused it. */
  decidedBy: person.nullable(),
  decidedAt: z.iso.datetime().nullable(),
  outcome,
  isOwn: z.boolean(),
  /** Whether whoever asks for the list may answer it, as far as roles say. The agent looks at the records. */
  mayDecide: z.boolean(),
  comments: z.array(z.object({ person, text: z.string(), at: z.iso.datetime() })),
});

/** `GET /api/approvals`: those of the environment that one has asked for or may decide on, for administrators all; the newest first. */
export const approvalListSchema = z.object({ approvals: z.array(approvalSchema) });

/** `POST /api/approvals/<id>/comments`, and with `/refuse` where the comment may be absent. */
export const commentOnApprovalSchema = z.strictObject({ comment: approvalCommentSchema });
export const refuseApprovalSchema = z.strictObject({ comment: approvalCommentSchema.optional() });

/** `POST /_internal/approvals` of an agent: ask for an approval to run an action. */
export const askForApprovalSchema = z.object({
  data: z.object({
    attributes: z.looseObject({
      collection_name: z.string(),
      /** Its name. */
      action_name: z.string(),
      comment: approvalCommentSchema.optional(),
    }),
  }),
});

/** `GET /_internal/approvals/<id>` of an agent: what a request is about, for who may read the records and decide, or has asked. */
export const approvalContentSchema = z.object({
  id: z.int(),
  collection: z.string(),
  action: z.string(),
  values: attributes,
  /** What the fields of the form are called and hold, as far as the code says it without being asked. */
  fields: z
    .array(
      z.object({
        name: z.string(),
        label: z.string(),
        type: schemaFieldTypeSchema,
        /** The collection that the value names a record of, where the reader knows it. */
        collection: z.string().optional(),
      }),
    )
    .optional(),
  /** As they were when somebody asked: the fields that the reader may see. */
  records: z.array(z.object({ id: z.string(), values: attributes })),
  /** What keeps the request from being granted now, in words; `null` for nothing. */
  problem: z.string().nullable(),
  /** What the action answered, once it has run. */
  result: approvalResultSchema.optional(),
  /** Who has the file of the result. */
  fileIsWith: z.string().optional(),
});

export type ApprovalRequestContent = Readonly<z.infer<typeof contentSchema>>;
export type FileApproval = Readonly<z.infer<typeof fileApprovalSchema>>;
export type FileAnswer = Readonly<z.infer<typeof fileAnswerSchema>>;
export type FiledApproval = Readonly<z.infer<typeof filedApprovalSchema>>;
export type OpenedApproval = Readonly<z.infer<typeof openedApprovalSchema>>;
export type ApprovalResult = Readonly<z.infer<typeof approvalResultSchema>>;
export type GrantedApproval = Readonly<z.infer<typeof grantedApprovalSchema>>;
export type GrantApproval = Readonly<z.infer<typeof grantApprovalSchema>>;
export type ApprovalOutcome = Readonly<z.infer<typeof approvalOutcomeSchema>>;
export type ApprovalState = (typeof approvalStates)[number];
/** What people get mails about. */
export type ApprovalMailEvent = 'asked' | 'granted' | 'refused' | 'commented';
export type Approval = Readonly<z.infer<typeof approvalSchema>>;
export type ApprovalContent = Readonly<z.infer<typeof approvalContentSchema>>;
