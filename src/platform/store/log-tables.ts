import type { Generated } from 'kysely';
import type { RowVersion } from '#contracts/audit/chain';
import type { ActivityEntry, AdminEntry } from '#contracts/audit/rows';

/** `further`: an act or a change of a kind that not every client of the API knows. */
type RowKind = 'act' | 'admin' | 'further' | 'records' | 'status' | 'tombstone';

/** The logs, their proof, and what the public API keeps beside them. */
export interface LogTables {
  readonly auditChains: {
    readonly id: Generated<number>;
    /** A UUID, the name of the chain in rows and checkpoints. */
    readonly chain: string;
    readonly kind: 'activity' | 'admin';
    readonly projectId: number;
    readonly environmentId: number | null;
    /** Canonical JSON. */
    readonly genesis: string;
    /** Rows before it were removed. */
    readonly firstSequence: number;
    /** 0 before the first row. */
    readonly headSequence: number;
    readonly headHash: string;
    readonly headCreatedAt: number;
    /** Year and month of the last row: 202611. */
    readonly headMonth: number;
  };
  readonly auditMonths: { readonly month: number };
  readonly auditRows: {
    readonly chainId: number;
    readonly sequence: number;
    readonly month: number;
    readonly kind: RowKind;
    readonly id: string;
    readonly part: number;
    readonly createdAt: number;
    readonly type: ActivityEntry['type'] | AdminEntry['type'] | null;
    /** The action, or the resource of a change of the configuration. */
    readonly action: string | null;
    readonly initiator: AdminEntry['initiator'] | null;
    readonly userId: number | null;
    readonly userEmail: string | null;
    readonly team: string | null;
    readonly collection: string | null;
    /** As it was first reported. */
    readonly status: ActivityEntry['status'] | null;
    readonly correlationId: string | null;
    /** The program that did it for the person. */
    readonly clientId: string | null;
    /** `null` where it says the same as the id. */
    readonly clientName: string | null;
    /** The MCP tool that was called. */
    readonly tool: string | null;
    /** Number of the version of the code that did it. */
    readonly codeVersion: number | null;
    /** Canonical JSON of the entry and its place: what is hashed. In rows of version 2 without personal values. */
    readonly body: string;
    /** Canonical JSON: the personal values that were not erased, with their salts. */
    readonly disclosed: string | null;
    readonly version: RowVersion;
    readonly hash: string;
  };
  /** Which acts were about a record. */
  readonly auditRecords: {
    readonly chainId: number;
    readonly recordId: string;
    readonly sequence: number;
    readonly collection: string;
  };
  /** How acts ended that were `pending` at first. */
  readonly auditOutcomes: {
    readonly chainId: number;
    readonly sequence: number;
    readonly status: 'completed' | 'failed';
    readonly reportedIn: number;
  };
  /** Values of records before and after writes. The rows that commit to them hold the digests. */
  readonly auditValues: {
    readonly chainId: number;
    readonly sequence: number;
    /** Its place among the records of the row. */
    readonly place: number;
    readonly actSequence: number;
    readonly recordId: string;
    /** Encrypted. */
    readonly sealed: string;
  };
  readonly auditCheckpoints: {
    readonly chainId: number;
    readonly size: number;
    readonly at: number;
    /** Signed. */
    readonly note: string;
  };
  /** Which logs there are, whose they are, and which came from a backup. */
  readonly auditRegister: {
    /** 0 for the genesis. */
    readonly sequence: number;
    /** Canonical JSON. */
    readonly body: string;
    readonly hash: string;
  };
  readonly auditRegisterCheckpoints: {
    readonly size: number;
    readonly at: number;
    /** Signed. */
    readonly note: string;
  };
  /** What other machines have signed of the register; the newest of each machine of a project. */
  readonly auditRegisterCosignatures: {
    readonly projectId: number;
    /** The verifier key of the machine. */
    readonly cosigner: string;
    /** The checkpoint of the register with the signatures of the platform and of the machine. */
    readonly note: string;
  };
  /** The rows of a log of one month, signed. */
  readonly auditSegments: {
    readonly chainId: number;
    /** Year and month: 202611. */
    readonly month: number;
    /** Signed; it says everything else. */
    readonly note: string;
  };
  /** Nodes of the trees of segments. */
  readonly auditNodes: {
    readonly chainId: number;
    readonly month: number;
    /** 1 for nodes over 256 rows, 2 over 65,536, and so on. 0: hashes of rows that were removed, next to those that are left. */
    readonly level: number;
    /** Counted from the left. */
    readonly position: number;
    readonly hash: string;
  };
  /** What other machines have signed of segments; the newest of each machine. */
  readonly auditCosignatures: {
    readonly chainId: number;
    readonly month: number;
    /** The verifier key of the machine. */
    readonly cosigner: string;
    /** The note of the segment with the signatures of the platform and of the machine. */
    readonly note: string;
  };
  readonly rateLimits: {
    /** Whose quota it is: `token 3` or `person 7`. */
    readonly subject: string;
    readonly policy: string;
    /** Microseconds since the epoch. The quota is whole again then. */
    readonly spentUntil: number;
  };
  /** Answers that a request with the same key gets again. */
  readonly idempotencyKeys: {
    readonly subject: string;
    readonly route: string;
    readonly idempotencyKey: string;
    /** SHA-256 of the body of the request. */
    readonly fingerprint: string;
    readonly status: number;
    /** JSON, an object of texts. */
    readonly headers: string;
    /** JSON. */
    readonly body: string;
    readonly expiresAt: number;
  };
}
