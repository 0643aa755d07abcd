import type * as z from 'zod';
import type { AdminValues, auditUserSchema } from './admin-values.ts';
import type { RowVersion } from './chain.ts';
import type { ErasureEntry } from './erasure.ts';

/** What rows of the audit log hold. Each becomes canonical JSON, which is hashed; so nothing here is ever renamed. */

/** Somebody, as they were called at that time. */
export type AuditUser = Readonly<z.infer<typeof auditUserSchema>>;

interface Named<Kind extends string> {
  readonly object: Kind;
  readonly name: string;
}

/** The actions that every client of the API knows. Agents and the notes of the platform report some of them. */
export const coreActions = [
  ...['create', 'read', 'update', 'delete', 'action', 'search', 'filter', 'listRelatedData', 'describeCollection'],
  ...['index', 'select', 'dashboard', 'workspace', 'export'],
  ...['createNote', 'openNote', 'deleteNote', 'createMessage'],
  ...['createApproval', 'approveApproval', 'rejectApproval', 'ignoreApprovalWarning', 'markApprovalAsFailed'],
  ...['startProcessingInboxTask', 'completeInboxTask', 'cancelInboxTask', 'cancelInboxTaskNotTreated'],
  ...['autoCancelInboxTask', 'assignUserToInboxTask', 'unassignUserFromInboxTask', 'sendApprovalBackInReview'],
  ...['triggerWorkflow', 'abortWorkflow', 'completeWorkflow', 'selectWorkflowOption', 'completeWorkflowStep'],
  ...['reviseWorkflowStep', 'resumeWorkflow'],
] as const;

/** Those that `include=all` adds. */
export const furtherActions = ['updateNote'] as const;

/** What somebody did to records, or to notes. */
export interface ActivityEntry {
  readonly object: 'activityLog';
  readonly id: string;
  readonly type: 'read' | 'write';
  readonly action: (typeof coreActions)[number] | (typeof furtherActions)[number];
  readonly label?: string | undefined;
  readonly collection?: Named<'collection'> | undefined;
  /** Packed ids of the records; the first 1,000 of them. The others follow in rows of their own. */
  readonly recordIds: readonly string[];
  /** How many records it was about; `null` where nobody counted. */
  readonly recordCount: number | null;
  /** Names of the fields that it changed. */
  readonly fields?: readonly string[] | undefined;
  readonly user: AuditUser;
  readonly team: Named<'team'>;
  readonly role: string;
  readonly environment: Named<'environment'>;
  readonly rendering?: { readonly id: number; readonly name: string } | undefined;
  readonly source: 'rest' | 'mcp' | 'api';
  /** The program that did it for the person. */
  readonly client?: (Named<'client'> & { readonly id: string }) | undefined;
  /** The MCP tool that was called. */
  readonly tool?: string | undefined;
  /** The MCP session was marked, and the person agreed: in the client, or at the platform. */
  readonly consent?: 'client' | 'platform' | undefined;
  /** Number of the request for an approval that somebody granted: the admin log says who. */
  readonly approval?: number | undefined;
  /** Id of the act that this one takes back. */
  readonly undoes?: string | undefined;
  /** Number of the version of the code that did it, where a host has told it. */
  readonly codeVersion?: number | undefined;
  /** `pending`: its outcome was not known yet. A later row may tell it. */
  readonly status: 'pending' | 'completed' | 'failed';
  readonly correlationId?: string | undefined;
  /** ISO 8601, by the clock of who reports it. */
  readonly occurredAt: string;
  readonly durationMs: number | null;
  /** Id of the API token that did it. */
  readonly tokenId?: string | undefined;
}

/** More records of an act whose first row is `actSequence`, or values of its records. */
export interface RecordsEntry {
  readonly object: 'activityLogRecords';
  readonly id: string;
  readonly actSequence: number;
  /** 0 for records that only the end of the act told, 1 and more for what one row does not hold, -2 for values. */
  readonly part: number;
  readonly collection?: Named<'collection'> | undefined;
  readonly recordIds: readonly string[];
  /** SHA-256 of the sealed values of each record, which stand beside the log. They can be erased, so the row commits to them. */
  readonly kept?: readonly string[] | undefined;
  /** Why no values are kept of an act whose values would be. */
  readonly unkept?: 'tooMany' | 'override' | 'changedMeanwhile' | undefined;
}

/** The part of the row that holds the values of an act. */
export const valuesPart = -2;

/** The records that a row adds to its act. A row with values is about records that others name. */
export function addedRecords({ part, recordIds }: RecordsEntry): readonly string[] {
  return part === valuesPart ? [] : recordIds;
}

/** How an act ended that was written down before its end. */
export interface OutcomeEntry {
  readonly object: 'activityLogOutcome';
  readonly id: string;
  readonly actSequence: number;
  readonly status: 'completed' | 'failed';
  readonly durationMs: number | null;
}

export const adminLogTypes = ['add', 'remove', 'update', 'initial'] as const;
export const adminLogInitiators = ['administrator', 'identityProvider', 'platform'] as const;

/** The resources that every client of the API knows. */
export const coreResources = ['user-project', 'role', 'team', 'environment'] as const;

/** Those that `include=all` adds. */
export const furtherResources = [
  'project',
  'membership',
  'elevation',
  'approval',
  'api-token',
  'access-token',
  'environment-settings',
  'environment-secret',
  'invitation',
  'rights',
  'rights-watch',
  'ip-rules',
  'deployment',
  'version',
  'variables',
  'sign-in-key',
  'session',
  'password',
  'second-factor',
  'second-factor-demand',
  'group-mapping',
  'scim-token',
  'mcp-client',
  'mcp-mark',
  'impersonation',
  'clock',
] as const;

export type AdminResource = (typeof coreResources)[number] | (typeof furtherResources)[number];

/** What changed: the resource, and its values before and after. */
export type AdminChangeOf<Resource extends AdminResource> = {
  readonly resource: Resource;
  readonly previousValue?: AdminValues[Resource] | undefined;
  readonly newValue?: AdminValues[Resource] | undefined;
};

/** A change of the configuration of a project. */
export type AdminEntry = {
  readonly object: 'adminLog';
  readonly id: string;
  readonly type: (typeof adminLogTypes)[number];
  readonly initiator: (typeof adminLogInitiators)[number];
  /** Who did it, unless the platform or an identity provider did. */
  readonly user?: AuditUser | undefined;
  /** Where the request came from. */
  readonly address?: string | undefined;
  readonly environment?: Named<'environment'> | undefined;
} & { [Resource in AdminResource]: AdminChangeOf<Resource> }[AdminResource];

/** The rows up to `to` were removed; a signed checkpoint says what their last hash was. */
export interface TombstoneEntry {
  readonly object: 'tombstone';
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  /** The checkpoint of size `to`, signed. */
  readonly checkpoint: string;
}

export type AuditEntry = ActivityEntry | RecordsEntry | OutcomeEntry | AdminEntry | TombstoneEntry | ErasureEntry;

/** What every row has beside its entry. */
export interface RowPlace {
  /** Id of the chain. */
  readonly chain: string;
  /** 1 for the first row; without gaps. */
  readonly sequence: number;
  /** Later than that of every row before it; by the clock of the platform, unless rows come faster than that. */
  readonly createdAt: string;
  /** By the clock of the platform. */
  readonly recordedAt: string;
  readonly version: RowVersion;
}

/** A row as an export has it. */
export type AuditRow = AuditEntry & RowPlace & { readonly hash: string; readonly previousHash: string };
