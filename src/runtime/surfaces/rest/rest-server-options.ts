import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { ActReporter } from '../../activity/act-reporter.ts';
import type { InsightsReader } from '../../insights/create-insights.ts';
import type { ExplainRights } from '../../permissions/explained-permissions.ts';
import type { AgentStateHolder } from '../request/agent-state.ts';
import type { ApprovalRequests } from '../request/approval-requests.ts';
import type { IpFilter } from '../request/ip-filter.ts';
import type { AskMcp } from '../request/mcp-asker.ts';
import type { PageCursors } from '../request/page-cursors.ts';
import type { ParameterRules } from '../request/parameter-rules.ts';
import type { ProgramLimits } from '../request/program-limits.ts';
import type { CustomizeErrorMessage } from '../request/public-error.ts';
import type { ReadPositions } from '../request/read-positions.ts';
import type { RecordHistories } from '../request/record-histories.ts';
import type { RecordNotes } from '../request/record-notes.ts';
import type { BodyLimits } from '../request/request-bodies.ts';
import type { RequestLimits, SlowRequests } from '../request/request-limits.ts';
import type { Telemetry } from '../request/telemetry.ts';
import type { SessionTokens } from '../sign-in/session-tokens.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { TokenExchange } from '../sign-in/token-exchange.ts';

/** A surface that shares a server with the REST API. */
export interface RequestFront {
  /** Whether a request is for it. */
  covers(url: string): boolean;
  answer(request: IncomingMessage, response: ServerResponse): void;
}

/** The parts that the REST API needs. */
export interface RestServerOptions {
  /** Path the routes are below, with a slash in front and none behind; empty for the root. */
  readonly prefix: string;
  readonly states: AgentStateHolder;
  /** How many records an export holds at most; default: all. */
  readonly exportLimit?: number | undefined;
  readonly tokens: SessionTokens;
  /** What becomes of parameters that are missing or unknown. Default: the first are refused, the others ignored. */
  readonly parameters?: ParameterRules | undefined;
  /** Restricts the addresses of requests. Default: any address. */
  readonly ipFilter?: IpFilter | undefined;
  /** Signs people in. Without it, tokens come from elsewhere. */
  readonly signIn?: SignIn | undefined;
  /** Exchanges what the platform has made for people. */
  readonly tokenExchange?: TokenExchange | undefined;
  /** Asks the MCP server of the agent. Default: there is none. */
  readonly askMcp?: AskMcp | undefined;
  /** Says what people may do, and why. */
  readonly explainRights: ExplainRights;
  /** What people have to see of databases that have replicas. Default: the primaries answer. */
  readonly readPositions?: ReadPositions | undefined;
  /** Marks where lists go on. */
  readonly cursors: PageCursors;
  /** Requests for approvals, which the platform keeps. */
  readonly approvals: ApprovalRequests;
  /** What was written to records, which the platform keeps. */
  readonly histories: RecordHistories;
  /** Notes on records, which the platform keeps. */
  readonly notes: RecordNotes;
  /** What the agent has noticed of its own work. */
  readonly insights: InsightsReader;
  /** Reports what people do. */
  readonly reporter: ActReporter;
  /** Origins whose pages may use the session cookie. */
  readonly allowedOrigins: ReadonlySet<string>;
  /** Proxies whose `X-Forwarded-…` headers are believed; default: none. */
  readonly trustedProxies?: readonly string[];
  /** Default: 50 MB of JSON, 56 kB of a form. */
  readonly bodyLimits?: BodyLimits;
  readonly customizeErrorMessage?: CustomizeErrorMessage | undefined;
  /** Default: `defaultRequestLimits`. */
  readonly limits?: RequestLimits;
  /** Bounds the slow requests of a person on every surface. Default: those of this API by themselves. */
  readonly slowRequests?: SlowRequests;
  /** Bounds what programs do, on every surface together. */
  readonly programLimits: ProgramLimits;
  readonly telemetry?: Telemetry | undefined;
  /** Answers requests of the own server of this API before it does. */
  readonly front?: RequestFront | undefined;
  readonly logger: Logger;
  readonly random: Random;
}
