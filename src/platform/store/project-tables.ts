import type { Generated } from 'kysely';
import type { ApprovalMailEvent, ApprovalState } from '#contracts/approvals';
import type { DeploymentState } from '#contracts/deployments';
import type { HostLogLine } from '#contracts/hosting';

/** What belongs to a project and its environments: code, rights, settings, notes, and the agents that serve them. */
export interface ProjectTables {
  readonly schemas: {
    readonly environmentId: number;
    readonly hash: string;
    /** Canonical JSON. */
    readonly document: string;
    readonly receivedAt: number;
  };
  readonly rights: {
    readonly environmentId: number;
    /** Counts from 1 in each environment; the greatest counts. */
    readonly revision: number;
    /** Canonical JSON. */
    readonly document: string;
    readonly authorId: number;
    readonly createdAt: number;
  };
  /** A document that nobody is refused by; what people do is held against it. */
  readonly rightsWatches: {
    readonly environmentId: number;
    /** Canonical JSON. */
    readonly document: string;
    readonly authorId: number;
    readonly startedAt: number;
    /** Of the rights that counted then; 0 for none. */
    readonly revision: number;
    /** Of the schema that it was checked against; `null` for none. */
    readonly schemaHash: string | null;
  };
  readonly permissionOverrides: {
    readonly environmentId: number;
    /** JSON. */
    readonly overrides: string;
  };
  readonly ipRules: {
    readonly environmentId: number;
    /** JSON. */
    readonly rules: string;
  };
  readonly customizations: {
    readonly environmentId: number;
    /** JSON. */
    readonly document: string;
  };
  readonly variables: {
    readonly environmentId: number;
    /** Counts from 1 in each environment; the greatest counts. */
    readonly revision: number;
    /** All variables of the environment, encrypted under the key of the platform. */
    readonly sealed: string;
    /** `null` for what the platform made itself. */
    readonly authorId: number | null;
    readonly createdAt: number;
  };
  readonly bundles: {
    readonly projectId: number;
    /** SHA-256 of the content. */
    readonly digest: string;
    readonly sizeBytes: number;
    readonly content: Uint8Array;
    readonly createdAt: number;
  };
  readonly versions: {
    readonly projectId: number;
    /** Counts from 1 in each project. */
    readonly number: number;
    readonly digest: string;
    readonly message: string;
    readonly authorId: number;
    readonly builtWith: string;
    readonly gitCommit: string | null;
    readonly idempotencyKey: string;
    /** SHA-256 of what was asked for: the same key must always ask for the same. */
    readonly requestHash: string;
    /** Milliseconds since the epoch. */
    readonly createdAt: number;
    /** SHA-256 of what is served, so that the same content is one version; `null` for versions of an older format. */
    readonly contentHash: string | null;
    /** `KeptContent` as JSON: what is served, and the schema that it had. */
    readonly content: string | null;
  };
  readonly deployments: {
    readonly environmentId: number;
    /** Counts from 1 in each environment. */
    readonly number: number;
    readonly versionNumber: number;
    readonly variablesRevision: number;
    readonly state: DeploymentState;
    /** 1 once every host has checked it, so that hosts may serve it. */
    readonly isChecked: 0 | 1;
    readonly note: string | null;
    readonly authorId: number;
    readonly idempotencyKey: string;
    readonly requestHash: string;
    readonly createdAt: number;
    readonly finishedAt: number | null;
  };
  readonly deploymentLines: {
    readonly environmentId: number;
    readonly number: number;
    /** Counts from 1 in each deployment. */
    readonly sequence: number;
    readonly at: number;
    readonly text: string;
  };
  readonly hosts: {
    readonly environmentId: number;
    /** A UUID, made up by the host. */
    readonly id: string;
    readonly name: string;
    readonly workers: number;
    /** Numbers of deployments. */
    readonly serving: number | null;
    readonly checked: number | null;
    readonly refused: number | null;
    readonly refusedReason: string | null;
    readonly seenAt: number;
  };
  readonly hostLines: {
    readonly environmentId: number;
    /** Counts from 1 in each environment. */
    readonly sequence: number;
    /** Name of the host. */
    readonly host: string;
    readonly at: number;
    readonly level: HostLogLine['level'];
    readonly text: string;
  };
  /** The agents that listen. */
  readonly agents: {
    readonly environmentId: number;
    /** Made up by the agent. */
    readonly id: string;
    /** Made up by the platform for each connection: the end of an older one does not count for a newer one. */
    readonly connection: string;
    /** Of the platform, that the agent is connected to. */
    readonly process: string;
    readonly connectedAt: number;
    /** Sequence of the last event that the agent has carried out. */
    readonly acknowledged: number | null;
    readonly seenAt: number;
  };
  readonly eventCounters: {
    readonly environmentId: number;
    /** Sequence of the newest event of the environment. */
    readonly newest: number;
  };
  readonly events: {
    readonly environmentId: number;
    /** Counts from 1 in each environment, without a gap. */
    readonly sequence: number;
    /** JSON. */
    readonly event: string;
  };
  readonly spentApprovals: {
    readonly environmentId: number;
    readonly digest: string;
    readonly runId: string;
    /** Seconds since the epoch, as it was signed. */
    readonly expiresAt: number;
  };
  /** Requests to run actions that need an approval. */
  readonly approvals: {
    readonly id: Generated<number>;
    readonly environmentId: number;
    readonly userId: number;
    /** JSON of the program that asked for the person. */
    readonly client: string | null;
    readonly collection: string;
    readonly action: string;
    readonly records: number;
    /** Sealed; `null` once it is not kept any more. */
    readonly content: string | null;
    /** SHA-256 of who asked for what. */
    readonly digest: string;
    /** JSON of the ids of those who may grant it, as the agent has found; `null` where it has not told, and once the values are gone. */
    readonly approvers: string | null;
    readonly state: ApprovalState;
    readonly askedAt: number;
    /** When it was granted, refused or withdrawn, or lapsed. */
    readonly decidedAt: number | null;
    readonly decidedBy: number | null;
    /** Of the run that it was granted to. */
    readonly runId: string | null;
    readonly outcome: 'succeeded' | 'failed' | null;
    /** What the action answered, sealed; `null` where it is not known, and once it is not kept any more. */
    readonly result: string | null;
  };
  readonly approvalComments: {
    readonly id: Generated<number>;
    readonly approvalId: number;
    readonly userId: number;
    readonly body: string;
    readonly writtenAt: number;
  };
  /** Mails about requests that wait to be sent. A mail that was sent has no row. */
  readonly approvalMails: {
    readonly id: Generated<number>;
    readonly approvalId: number;
    readonly event: ApprovalMailEvent;
    /** Who gets it; `null` until it is known who may grant the request. */
    readonly userId: number | null;
    /** Who asked, granted, refused or wrote a comment. */
    readonly authorId: number;
    readonly queuedAt: number;
    readonly dueAt: number;
    readonly attempts: number;
    /** When it was handed to the mail server, which has not answered yet. */
    readonly handedAt: number | null;
  };
  readonly mcpState: {
    readonly environmentId: number;
    /** One of `mcpStateKinds`. */
    readonly kind: string;
    /** This and the other ids are SHA-256. */
    readonly id: string;
    readonly clientId: string | null;
    readonly grantId: string | null;
    readonly personId: number | null;
    /** JSON. */
    readonly payload: string;
    readonly createdAt: number;
    readonly expiresAt: number;
    /** When it was used for the first time. */
    readonly usedAt: number | null;
  };
  /** What people and administrators have set for grants. */
  readonly mcpGrantRights: {
    readonly environmentId: number;
    /** SHA-256 of its id. */
    readonly grantId: string;
    readonly countsAs: string | null;
    /** JSON, `ClientRights` of `#contracts/client-rights`. */
    readonly rights: string | null;
  };
  /** Grants whose access tokens agents no longer accept. */
  readonly endedMcpGrants: {
    readonly environmentId: number;
    /** SHA-256 of its id. */
    readonly grantId: string;
    readonly endedAt: number;
  };
  /** Sessions of MCP clients that have read what outsiders can write. */
  readonly mcpMarks: {
    readonly id: Generated<number>;
    readonly environmentId: number;
    readonly personId: number;
    /** The OAuth client; empty for programs with a token of the person. */
    readonly client: string;
    readonly markedAt: number;
    /** JSON: the first places that were read. */
    readonly reads: string;
    readonly readCount: number;
    /** Records that the client was given since then. */
    readonly records: number;
  };
  /** What people are asked before such a session goes on. */
  readonly mcpAsks: {
    readonly id: string;
    readonly markId: number;
    readonly digest: string;
    readonly tool: string;
    /** JSON. */
    readonly preview: string;
    readonly expiresAt: number;
    readonly answer: 'yes' | 'no' | null;
    /** The call that has used the yes. */
    readonly runId: string | null;
  };
  readonly notes: {
    readonly id: Generated<number>;
    readonly environmentId: number;
    readonly title: string;
    readonly collection: string;
    /** Packed id of the record. */
    readonly recordId: string;
    readonly team: string;
    /** `null` for somebody who was erased. */
    readonly userId: number | null;
    /** E-mail and name as they were when it was written. */
    readonly userEmail: string;
    /** The same as filters compare it. */
    readonly comparableEmail: string;
    readonly userName: string;
    readonly createdAt: number;
    readonly updatedAt: number;
    readonly archivedAt: number | null;
    /** Counts the changes of the note, its messages included. */
    readonly revision: number;
    /** Of all its messages together. */
    readonly sizeBytes: number;
  };
  readonly noteMessages: {
    readonly noteId: number;
    /** Counts from 1 in each note. */
    readonly number: number;
    /** Sanitized HTML. */
    readonly content: string;
    /** `null` for somebody who was erased. */
    readonly userId: number | null;
    readonly userEmail: string;
    readonly userName: string;
    readonly createdAt: number;
  };
  /** The people that news of a note concern: who has written in it, and who is mentioned. */
  readonly noteReaders: {
    readonly noteId: number;
    readonly userId: number;
    /** Number of the newest message that they have read. */
    readonly readTo: number;
    /** Number of the newest message that mentions them. */
    readonly mentionedIn: number | null;
  };
}
