import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MountGate, requireMethod } from './mount-gate.ts';

/** The used parts of an Express request. */
interface ExpressRequest extends IncomingMessage {
  /** The whole address; `url` lacks the path a router is mounted at. */
  readonly originalUrl?: string;
  readonly body?: unknown;
}

/** An application or a router of Express 4 or 5. */
export interface ExpressHost {
  use(handler: (request: ExpressRequest, response: ServerResponse, next: () => void) => void): unknown;
}

export function mountOnExpress(host: ExpressHost, gate: MountGate): void {
  requireMethod(host, 'use', 'mountOnExpress needs an application or a router of Express');
  host.use((request, response, next) => {
    const { originalUrl: url = request.url ?? '/', body } = request;
    if (gate.covers(url)) void gate.answer({ request, response, url, body });
    else next();
  });
}
