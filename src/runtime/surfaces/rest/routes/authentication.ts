import { exchangeCodeSchema } from '#contracts/agent-codes';
import { isCloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import { memberOf } from '../../request/request-bodies.ts';
import { callbackPath } from '../../sign-in/sign-in.ts';
import { serviceAccountPattern } from '../../sign-in/token-exchange.ts';
import { cookieValue, setCookie } from '../call/http-headers.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';

/** Begin to sign in: where to send the browser, which gets a cookie to come back with. */
export const beginSignInRoute: Route = {
  method: 'POST',
  path: '/authentication',
  isPublic: true,
  answer: async (call) => {
    const { authorizationUrl, cookie } = await signInOf(call).begin(parseRendering(call.body), askedAddress(call));
    const scope = { path: pathOf(call), isSecure: call.isSecure, maxAgeSeconds: cookie.maxAgeSeconds };
    return {
      status: 200,
      headers: { 'set-cookie': setCookie(cookie.name, cookie.value, scope), 'cache-control': 'no-store' },
      body: { authorizationUrl },
    };
  },
};

/** The browser has come back: exchange what it brings for a token of the agent. */
export const finishSignInRoute: Route = {
  method: 'GET',
  path: callbackPath,
  isPublic: true,
  answer: async (call) => {
    try {
      const { token, tokenData, cookieName } = await signInOf(call).finish(
        new URLSearchParams(call.query),
        (name) => cookieValue(call.headers.cookie, name),
        askedAddress(call),
      );
      const ended = setCookie(cookieName, '', { path: pathOf(call), isSecure: call.isSecure, maxAgeSeconds: 0 });
      return {
        status: 200,
        headers: { 'set-cookie': ended, 'cache-control': 'no-store' },
        body: { token, tokenData },
      };
    } catch (error) {
      return refusalOf(error, call.query['state']);
    }
  },
};

/** A token that somebody printed at the platform, or that of a service account, for one of the agent or of its MCP server. */
export const exchangePrintedTokenRoute: Route = {
  method: 'POST',
  path: '/authentication/printed-token',
  isPublic: true,
  answer: async ({ tokenExchange, body }) => {
    if (!tokenExchange) throw new PathUnknown();
    const token = memberOf(body, 'token');
    if (typeof token !== 'string') throw invalidRequest('"token" must be a text.', 'Send a token that was printed.');
    const audience = memberOf(body, 'audience');
    const exchanged = serviceAccountPattern.test(token)
      ? tokenExchange.serviceAccount(token, audience === 'mcp' ? audience : 'agent')
      : tokenExchange.printed(token);
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: await exchanged };
  },
};

/** A one-time code of the platform, for a token of the agent. */
export const exchangeCodeRoute: Route = {
  method: 'POST',
  path: '/authentication/exchange',
  isPublic: true,
  answer: async ({ tokenExchange, body }) => {
    if (!tokenExchange) throw new PathUnknown();
    const exchange = exchangeCodeSchema.safeParse(body);
    if (!exchange.success) {
      throw invalidRequest(
        'The body is not {"code", "codeVerifier"}.',
        'Send a code of the platform and its verifier.',
      );
    }
    return { status: 200, headers: { 'cache-control': 'no-store' }, body: await tokenExchange.code(exchange.data) };
  },
};

/** The answer to a refused sign-in, which is not an error document. Other errors are thrown again. */
function refusalOf(error: unknown, state: string | undefined): RouteAnswer {
  if (!isCloudError(error)) throw error;
  if (error.code === 'SIGN_IN_REFUSED') {
    return { status: 401, body: { ...error.details, ...(state === undefined ? {} : { state }) } };
  }
  if (error.code === 'PLATFORM_REFUSED' && error.safeDetails['status'] === 403) {
    return { status: 403, body: { error: 403, error_description: error.message } };
  }
  throw error;
}

function parseRendering(body: unknown): number {
  const sent = memberOf(body, 'renderingId');
  const id = typeof sent === 'string' && /^\d+$/.test(sent) ? Number(sent) : sent;
  if (typeof id === 'number' && Number.isSafeInteger(id) && id >= 0) return id;
  throw invalidRequest('"renderingId" must be a whole number.', 'Send the rendering to sign in to.');
}

function signInOf({ signIn }: RouteCall) {
  if (!signIn) throw new PathUnknown();
  return signIn;
}

/**
 * The address at which a browser on this machine reached the agent. An agent inside an application may not know its own
 * address. From other machines the header proves nothing, so there the platform must know the address.
 */
function askedAddress({ headers, isSecure, prefix }: RouteCall): string | undefined {
  const url = URL.parse(`${isSecure ? 'https' : 'http'}://${headers.host ?? ''}`);
  const isHere = url !== null && isLoopbackHost(url.hostname) && url.pathname === '/';
  return isHere ? `${url.origin}${prefix}` : undefined;
}

function pathOf({ prefix }: RouteCall): string {
  return `${prefix}/authentication`;
}
