import type { AgentTokenClaims } from '#contracts/agent-token';
import type { ToolName } from '#contracts/mcp';
import type { ProjectDataSource } from '#contracts/project-config';
import type { RestSettings } from '#contracts/rest-settings';
import type { SavedSchema } from '#contracts/saved-schema';
import type { SchemaDocument } from '#contracts/schema-document';
import type { ErrorReport } from '#kernel/errors/error-report';
import type { LogLevel } from '#kernel/ports/logger';
import type { WantedPort } from '#kernel/ports/tcp';
import type {
  ExplainedPermissions,
  ExplainedQuery,
  PermissionQuestion,
  ReachedAt,
  RunningCode,
  RuntimeServers,
  SuggestedSettings,
  TablesOutline,
} from '#runtime/index';

/** What a worker needs to serve a project's agent. Handed over in memory; nothing of it is printed. */
export interface AgentWorkerData {
  readonly projectRoot: string;
  readonly dataSources: Readonly<Record<string, ProjectDataSource>>;
  /** What the databases look like, where none is to be asked: the code is compiled, and not tested on records. */
  readonly savedSchema?: SavedSchema | undefined;
  /**
   * Folder for what outlives the worker: the catalogues of the databases, which serve at once when they have not changed. It
   * also holds reports that wait for the platform, and the permissions to use while it is away. `null` for none.
   */
  readonly stateFolder: string | null;
  /** Whether a write is recorded before it begins; needs a folder. */
  readonly activityRequired: boolean;
  /** Whether the report of a write is on the disk before its answer. */
  readonly durableWrites: boolean;
  readonly rest: RestSettings;
  readonly platformUrl: string;
  readonly envSecret: string;
  readonly authSecret: string;
  /** Whether the worker will listen. One that only loads code needs no server. */
  readonly isServing: boolean;
  /** The person that tokens of the worker speak for. */
  readonly identity: AgentTokenClaims;
  /** Whether requests may do everything, whatever the platform says. For a developer on their own machine. */
  readonly isUnrestricted: boolean;
  /** Whether a database that cannot be reached is tried again for a while, because it may be starting. */
  readonly waitsForDatabases: boolean;
  /** Whether somebody reads the tables again when they change, and wants to know when. */
  readonly followsTables: boolean;
  /** Whether code is taken that cannot be tried because a database is away. */
  readonly mayDatabasesBeAway: boolean;
  /** The least important lines of the agent's log that are handed over. */
  readonly logLevel: LogLevel;
  /** Address that the servers bind. */
  readonly bindAddress: string;
  readonly agentPort: WantedPort;
  readonly mcpPort: WantedPort;
  /** The tools of the MCP server; default: the ten of the specification. */
  readonly mcpTools: readonly ToolName[] | undefined;
  /** Whether the MCP server leaves out the tools that write. */
  readonly mcpReadOnly: boolean;
  /** Where clients reach the MCP server; `undefined` where that is where it listens. */
  readonly mcpServerUrl: string | undefined;
  readonly version: string;
  /** The workers that serve the same program on the same port; absent for one that serves by itself. */
  readonly peers?: { readonly channel: string; readonly size: number; readonly host?: string | undefined } | undefined;
  /** One 32-bit counter that the worker keeps counting up: when it stands still, the worker is stuck. */
  readonly heartbeat: SharedArrayBuffer;
}

/** What a worker needs to load its own code. */
export interface WorkerStart extends Pick<AgentWorkerData, 'dataSources' | 'savedSchema' | 'isServing'> {
  /** Folder of what Node.js has compiled, where the main thread keeps it; the thread that starts the worker knows it. */
  readonly compileCache: string | undefined;
}

/** What it serves: the first message that it gets. A schema may be large, so it is handed over once. */
export type WorkerTask = Omit<AgentWorkerData, 'savedSchema'>;

/** The calls the main thread makes, with what they take and give. */
export interface WorkerCalls {
  /** Whether code has changed functions of the language or of Node.js, or was ended in the middle, so that no other code is to be loaded. */
  isHarmed: { readonly input: null; readonly output: boolean };
  /** `null` where the code was ended because its loading took longer than `limitMs`; what served before serves on. */
  load: {
    readonly input: WorkerProgram & {
      /** How long the code may keep the thread when it is evaluated, in milliseconds by the clock. Default: for ever. */
      readonly limitMs?: number;
      /** Leave out whatever of the code does not fit to the tables, and test nothing. Default false. */
      readonly isLenient?: boolean;
    };
    readonly output: WorkerLoad | null;
  };
  /** What was read of the databases. */
  tables: { readonly input: null; readonly output: TablesOutline };
  /** What a check of the code warns of, in sentences; without databases, nothing of the checks of tables. */
  warningsOfCheck: { readonly input: { readonly asksDatabases: boolean }; readonly output: readonly string[] };
  /** Text of the typings file for what is loaded; `null` when it is what this call gave last. */
  typings: { readonly input: null; readonly output: string | null };
  /** What a platform gets to know of the collections; `null` where its hash is `known`: a large one takes long to hand over. */
  schema: { readonly input: { readonly known: string | null }; readonly output: HashedSchema | null };
  /**
   * Listen, or go on listening. `absence` is why no code is loaded, which requests are answered with. `reachedAt` are the proxies in
   * front of the servers; `null` if there is no server.
   */
  listen: {
    readonly input: { readonly absence: ErrorReport | null; readonly reachedAt: ReachedAt | null };
    readonly output: WorkerListening;
  };
  explain: { readonly input: { readonly collection: string; readonly query: string }; readonly output: ExplainedQuery };
  explainPermissions: { readonly input: PermissionQuestion; readonly output: ExplainedPermissions };
  /** Text of a typings file of what a user sees, by id or e-mail address. */
  typingsFor: { readonly input: { readonly user: string }; readonly output: string };
  diagnose: { readonly input: null; readonly output: WorkerDiagnosis };
  stop: { readonly input: { readonly drainMs: number }; readonly output: null };
}

/** A schema, with the hash of what the platform needs to know of it. */
export interface HashedSchema {
  readonly document: SchemaDocument;
  readonly hash: string;
}

/** What a worker is to serve. */
export interface WorkerProgram {
  readonly code: string;
  /** Databases to open in place of those that are open. */
  readonly dataSources?: Readonly<Record<string, ProjectDataSource>>;
  /** Whether a write is refused whose record cannot be made, from now on. */
  readonly activityRequired?: boolean;
  /** Number of the version of the code, which reports of what people do name. */
  readonly codeVersion?: number;
  /** How the REST API takes parameters, from now on. */
  readonly rest?: RestSettings;
  /** Environment variables that the code sees, in place of those that the load before set. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface WorkerLoad {
  readonly collections: readonly string[];
  /** What of the databases is left out, and why; one sentence each. */
  readonly warnings: readonly string[];
  /** Settings that the columns of a data source suggest, by its name; without those that suggest none. */
  readonly suggestedSettings: Readonly<Record<string, SuggestedSettings>>;
}

export interface WorkerListening extends RuntimeServers {
  readonly agentToken: string;
  readonly mcpToken: string;
}

/** What a worker holds on to, to see that reloads leave nothing behind. */
export interface WorkerDiagnosis {
  readonly heapUsedBytes: number;
  /** Kinds of open handles and requests, as Node names them. */
  readonly activeResources: readonly string[];
  readonly databaseConnections: number;
}

export type WorkerMethod = keyof WorkerCalls;

export interface WorkerRequest<Method extends WorkerMethod = WorkerMethod> {
  readonly id: number;
  readonly method: Method;
  readonly input: WorkerCalls[Method]['input'];
}

/** A line of the agent's log. */
export interface AgentLogLine {
  /** ISO 8601. */
  readonly time: string;
  readonly level: LogLevel;
  readonly message: string;
  /** Status and duration of a request, for instance. Of an error it has the code and the message; other values that are not plain are left out. */
  readonly facts: Readonly<Record<string, string | number | boolean>>;
}

export type WorkerMessage =
  | { readonly kind: 'answer'; readonly id: number; readonly output: unknown }
  | { readonly kind: 'refusal'; readonly id: number; readonly error: ErrorReport }
  /** A request met an error that is not its own fault: the user's code or a database. */
  | { readonly kind: 'request-failed'; readonly error: ErrorReport }
  /** The worker ends by an error that nothing caught. */
  | { readonly kind: 'crashing'; readonly running: RunningCode }
  | { readonly kind: 'log'; readonly line: AgentLogLine }
  /** The tables or columns of a database are not what the model was made from. */
  | { readonly kind: 'catalogue-changed' };
