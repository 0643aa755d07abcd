import type { IncomingHttpHeaders } from 'node:http';
import type { ActivityAction } from '#contracts/activity';
import type { Act } from '../../../activity/act-reporter.ts';
import type { InsightsReader } from '../../../insights/create-insights.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { ExplainedPermissions } from '../../../permissions/explained-permissions.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { ApprovalRequests } from '../../request/approval-requests.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import type { PublicError } from '../../request/public-error.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import type { RecordHistories } from '../../request/record-histories.ts';
import type { RecordNotes } from '../../request/record-notes.ts';
import type { SignIn } from '../../sign-in/sign-in.ts';
import type { TokenExchange } from '../../sign-in/token-exchange.ts';

/** One request, free of the web framework. */
export interface RouteCall {
  /** Decoded parts of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The collection that the path names. Throws `PathUnknown` if there is none. */
  collection(): CompiledCollection;
  readonly query: QueryParameters;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; `{}` if there is none. */
  readonly body: unknown;
  readonly state: AgentState;
  /** What all callers share: for the rights of somebody else. */
  readonly served: AgentState;
  readonly approvals: ApprovalRequests;
  readonly histories: RecordHistories;
  readonly notes: RecordNotes;
  readonly insights: InsightsReader;
  /** Path the routes are below, `/service` for instance; it is in every link. */
  readonly prefix: string;
  readonly cursors: PageCursors;
  /** Origins that clients may call for an action. */
  readonly webhookOrigins: readonly string[];
  /** How many records an export holds at most; `undefined` for all. */
  readonly exportLimit: number | undefined;
  /** `undefined` where nobody signs in at this agent. */
  readonly signIn: SignIn | undefined;
  /** `undefined` where no platform prints tokens for this agent. */
  readonly tokenExchange: TokenExchange | undefined;
  /** Ask the MCP server as the caller. Resolves to `undefined` where there is none. Throws `REQUEST_FORBIDDEN` for a program. */
  askMcp(message: unknown): Promise<object | undefined>;
  /** Look up the rights of the caller on a collection, as the platform says now. Throws `REQUEST_FORBIDDEN` for a program. */
  explainRights(collection: string): Promise<ExplainedPermissions>;
  /** Whether the client came over TLS, as far as the agent or the proxy before it tells. */
  readonly isSecure: boolean;
  /**
   * The caller and its time zone. Throws `REQUEST_INVALID` when the `timezone` parameter is unknown, or missing and there
   * is no `defaultTimezone`.
   */
  context(defaultTimezone?: string): CallContext;
  /** Errors as the client may see them: all that are together in one. */
  publicErrors(error: unknown): readonly [PublicError, ...PublicError[]];
}

export interface RouteAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent after a complete body, so that a client can check that nothing is missing. */
  readonly trailers?: Readonly<Record<string, () => string>>;
  /** Sent as JSON; a stream or bytes as they are, and nothing when it is absent. */
  readonly body?: unknown;
  /** How many records the body held, for the report; known when all of it was sent. */
  readonly recordCount?: () => number;
}

/** The report of a call to the platform, besides the caller and the outcome: names and ids, and never a value. */
export interface RouteActivity {
  readonly action: ActivityAction | ((call: RouteCall) => ActivityAction);
  /** Name of the action or the relation that the path names. */
  readonly label?: (call: RouteCall) => string | undefined;
  /** Packed ids of the records the request names; `undefined` where it is about all that match. */
  readonly recordIds?: (call: RouteCall) => readonly string[] | undefined | Promise<readonly string[] | undefined>;
  /** What the call does to the records at the far end of a relation; it is reported besides. */
  readonly farEnd?: (call: RouteCall) => Act | undefined;
}

/** Another route that takes the same path, with the parts of the path as it reads them. */
interface OtherMeaning {
  readonly route: Route;
  readonly params: RouteCall['params'];
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the prefix; `:name` is one part of the path. */
  readonly path: string;
  /** Answers without a token; `context` must not be asked for. */
  readonly isPublic?: true;
  /** A route that reads although its method is not GET, so that tokens that read alone may use it. */
  readonly isReading?: true;
  /** Another meaning of the path in this model, which wins. */
  readonly otherwise?: (call: RouteCall) => OtherMeaning | undefined;
  /** The report of its calls. Without it, calls are not reported. */
  readonly activity?: RouteActivity;
  answer(call: RouteCall): Promise<RouteAnswer>;
}

/** The path names nothing: answered as plain text, as any unknown path is. */
export class PathUnknown extends Error {
  /** The missing collection that the path names; `undefined` when something else is missing. */
  readonly collection: string | undefined;

  constructor(collection?: string) {
    super();
    this.collection = collection;
  }
}
