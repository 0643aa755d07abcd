import type { IncomingMessage, ServerResponse } from 'node:http';
import { type MountGate, requireMethod } from './mount-gate.ts';

/** The used parts of a Koa context. */
interface KoaContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  readonly request: { readonly body?: unknown };
  /** Whether Koa sends the response itself. */
  respond?: boolean;
}

type KoaMiddleware = (context: KoaContext, next: () => Promise<unknown>) => Promise<unknown>;

/** An application of Koa, or a router of `@koa/router`. */
export interface KoaHost {
  use(middleware: KoaMiddleware): unknown;
}

/** A router runs what it uses for its own routes only. */
interface KoaRouter extends KoaHost {
  all(path: RegExp, middleware: KoaMiddleware): unknown;
}

export function mountOnKoa(host: KoaHost, gate: MountGate): void {
  requireMethod(host, 'use', 'mountOnKoa needs an application or a router of Koa');
  const middleware: KoaMiddleware = async (context, next) => {
    const { req: request, res: response, originalUrl: url } = context;
    if (!gate.covers(url)) return next();
    context.respond = false;
    // Koa sets the status 404 at first. The agent starts from 200.
    response.statusCode = 200;
    // Outer middleware treats the request as finished when this one returns.
    return gate.answer({ request, response, url, body: context.request.body });
  };
  if (isRouter(host)) host.all(/.*/, middleware);
  else host.use(middleware);
}

function isRouter(host: KoaHost): host is KoaRouter {
  return 'all' in host && typeof host.all === 'function';
}
