import type { IncomingMessage, ServerResponse } from 'node:http';
import { whenClosed } from '#kernel/async/when-closed';
import type { CloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { awaitsBody, endLateBody, UnfinishedBodies, type UnfinishedBody } from '../request/request-bodies.ts';
import {
  bodyLate,
  type RequestLimits,
  requireAwaited,
  startDeadline,
  timedOut,
  tooManyRequests,
} from '../request/request-limits.ts';
import { type ObserveRequest, observeRequests, type Telemetry } from '../request/telemetry.ts';
import { refusalOf, refuse } from './json-rpc-messages.ts';
import { type ClientAddress, pathOf } from './mcp-routes.ts';
import type { ReadFrom } from './tools/call-tool.ts';

export interface McpRequestOptions {
  readonly limits: RequestLimits;
  readonly telemetry: Telemetry | undefined;
  readonly clientAddress: ClientAddress;
  readonly logger: Logger;
  readonly random: Random;
}

/** A request in progress. */
export interface McpRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Address of the client, as far as trusted proxies tell. */
  readonly address: string;
  /** Aborted when the client goes away or the request is given up. */
  readonly signal: AbortSignal;
  /** Until then the request counts as waiting, and from then on as in progress. Throws `AGENT_BUSY`. */
  bodyArrived(): void;
  /** Take down for the telemetry which servers have answered reads. */
  readonly readFrom: ReadFrom;
}

interface ObservedFacts {
  readonly route: string;
  readonly correlationId: string;
  /** Those that answered reads. */
  readonly servers: ReadonlySet<string>;
}

/**
 * The way of a request to the MCP server, as the REST API has it. A slow body takes nobody's place. There is a bound on
 * requests in progress and a deadline. The end is reported to the log and the telemetry.
 */
export class McpRequests {
  readonly #options: McpRequestOptions;
  readonly #observe: ObserveRequest | undefined;
  readonly #unfinishedBodies: UnfinishedBodies;
  #inProgress = 0;

  constructor(options: McpRequestOptions) {
    this.#options = options;
    this.#observe = observeRequests(options.telemetry, options.logger);
    this.#unfinishedBodies = new UnfinishedBodies(options.limits);
  }

  /**
   * @param route The pattern of its path, without names or ids.
   * @param work Answers the request; what it throws is answered here.
   */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    route: string,
    work: (received: McpRequest) => Promise<void>,
  ): void {
    const { limits, clientAddress, logger, random } = this.#options;
    const correlationId = random.uuid();
    const address = clientAddress(request);
    const abort = new AbortController();
    const giveUp = (reason: CloudError) => {
      abort.abort(reason);
      if (!response.headersSent) refuse(response, refusalOf(reason), { connection: 'close' });
    };
    const deadline = startDeadline(limits.requestTimeoutMs, () =>
      giveUp(awaitsBody(request) ? bodyLate(limits.requestTimeoutMs) : timedOut(limits.requestTimeoutMs)),
    );
    const body: UnfinishedBody | undefined = awaitsBody(request)
      ? this.#unfinishedBodies.add(address, giveUp)
      : undefined;
    let isCounted = false;
    const servers = new Set<string>();
    this.#finishAtEnd(request, response, { route, correlationId, servers }, () => {
      deadline.end();
      body?.end();
      if (isCounted) this.#inProgress -= 1;
      if (!response.writableFinished) abort.abort();
    });
    const bodyArrived = () => {
      body?.end();
      if (isCounted) return;
      requireAwaited(abort.signal);
      isCounted = true;
      this.#inProgress += 1;
      if (this.#inProgress > limits.concurrentRequests) throw tooManyRequests(limits.concurrentRequests);
    };
    const readFrom: ReadFrom = (names) => {
      for (const name of names) servers.add(name);
    };
    work({ request, response, address, signal: abort.signal, bodyArrived, readFrom }).catch((error: unknown) => {
      // The client has gone away, or its time was up: there is nobody to answer.
      if (response.writableEnded || response.destroyed) return;
      const refusal = refusalOf(error);
      if (refusal.status >= 500) logger.log('Error', 'The MCP server failed.', { correlationId, error });
      if (!response.headersSent) refuse(response, refusal);
    });
  }

  #finishAtEnd(
    request: IncomingMessage,
    response: ServerResponse,
    { route, correlationId, servers }: ObservedFacts,
    finish: () => void,
  ): void {
    const startedAt = performance.now();
    const { method = 'GET', url = '/' } = request;
    // The query may hold a code or a state; the path says enough.
    const path = pathOf(url);
    const observed = this.#observe?.({ method, route, correlationId });
    whenClosed(response, () => {
      finish();
      if (!request.complete) endLateBody(request);
      const { statusCode: status } = response;
      observed?.end(status, [...servers]);
      if (!response.writableFinished) return;
      const level = status >= 500 ? 'Error' : status >= 400 ? 'Warn' : 'Info';
      const durationMs = Math.round(performance.now() - startedAt);
      this.#options.logger.log(level, `${method} ${path} ${status}`, { correlationId, status, durationMs });
    });
  }
}
