/** What one request has to see of one database. */
export interface DatabaseReads {
  /** A position that shows every write of the person until now. `undefined`: nobody knows one. */
  minimum: string | undefined;
  /** What the person is known to have written here, where the request brings no position. */
  readonly floor: string | undefined;
  /** Whether the client does not have the position yet. */
  isNew: boolean;
  /** The server that the request reads from, once it has read: later reads must not go back in time. */
  server: object | undefined;
}

/** Stands for a position that nobody knows: only the primary shows it. */
export const unknownPosition = '?';

interface ReadSessionParts {
  readonly databases: ReadonlyMap<string, DatabaseReads>;
  /** Whether a request that brings no position asks the primary for one, and then reads from replicas. */
  readonly asksPrimary: boolean;
}

/**
 * What one request has to see of the databases that have replicas, and what it writes there. What has no session reads from the
 * primary: the agent itself, and requests that write.
 */
export class ReadSession {
  readonly asksPrimary: boolean;
  readonly #databases: ReadonlyMap<string, DatabaseReads>;
  readonly #whole: ReadSession | undefined;
  #atPrimary: ReadSession | undefined;
  #servers: readonly string[] = [];

  constructor(parts: ReadSessionParts, whole?: ReadSession) {
    this.#databases = parts.databases;
    this.asksPrimary = parts.asksPrimary;
    this.#whole = whole;
  }

  /** The same request where it reads for a write, or for code that decides. Replicas do not answer that. */
  get atPrimary(): ReadSession {
    if (this.#whole) return this;
    const { asksPrimary } = this;
    this.#atPrimary ??= new ReadSession({ databases: this.#databases, asksPrimary }, this);
    return this.#atPrimary;
  }

  isAtPrimary(): boolean {
    return this.#whole !== undefined;
  }

  /** `undefined` for a database that had not answered when the request began. */
  of(database: string | undefined): DatabaseReads | undefined {
    return database === undefined ? undefined : this.#databases.get(database);
  }

  /** Take down which server has answered. */
  answeredBy(server: string): void {
    const session = this.#whole ?? this;
    if (!session.#servers.includes(server)) session.#servers = [...session.#servers, server];
  }

  /** The servers that have answered: `primary`, and replicas by their addresses. */
  servers(): readonly string[] {
    return (this.#whole ?? this).#servers;
  }
}

/** A replica, as somebody who looks after the database wants to know it. */
export interface ReplicaStatus {
  /** Host and port. */
  readonly name: string;
  /** Why nothing is read from it; absent while it is in use. */
  readonly leftOut?: string;
  /** How far it is behind the primary, in milliseconds and as far as looks tell. */
  readonly lagMs?: number;
  /** How many reads it has answered. */
  readonly reads: number;
}

/** A database whose reads may go to replicas. */
export interface ReplicatedDatabase {
  /** A name that is the same on every host. `undefined` until the primary has answered. */
  name(): string | undefined;
  /** A position that shows what this process has written; `undefined` while it has written nothing. */
  written(): string | undefined;
  /** A position that shows what both show. */
  join(position: string, other: string): string;
  /** Look at the replicas now. In the order of the settings. */
  look(): Promise<readonly ReplicaStatus[]>;
  /** `tell` gets a sentence for the log when a replica is left out, and one when it is in use again. It names no address. */
  onChange(tell: (sentence: string, isInUse: boolean) => void): void;
}

/** A sentence about a replica. */
export function replicaInWords({ name, leftOut, lagMs = 0, reads }: ReplicaStatus): string {
  if (leftOut !== undefined) return `The replica ${name} is left out: ${leftOut}`;
  return `The replica ${name} is in use, ${lagMs} ms behind, and has answered ${reads} reads.`;
}
