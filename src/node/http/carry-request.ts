import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { trustedContext } from '../system/trusted-authorities.ts';
import { Agent, request } from './node-http.ts';

const https = () => process.getBuiltinModule('node:https');

/** A request to send, and its body, which is sent as it comes. */
interface CarriedRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Readable | string;
  /** Ends the request, and its answer. */
  readonly signal: AbortSignal;
}

/** Sends requests on connections that it keeps. */
export interface RequestCarrier {
  /**
   * Resolves to the answer when its head has come; its body is still to be read. Rejects when there is no connection, when it was cut,
   * and when nothing comes for as long as the carrier waits.
   */
  carry(request: CarriedRequest): Promise<IncomingMessage>;
  close(): void;
}

/**
 * @param headMs milliseconds that a server may be silent before the head of its answer has come.
 * @param trust for tests.
 */
export function createRequestCarrier(headMs: number, trust = trustedContext): RequestCarrier {
  const plain = new Agent({ keepAlive: true });
  let secure: HttpsAgent | undefined;
  // To read the authorities takes tens of milliseconds, and a local platform may carry nothing to a secure server.
  const secureAgent = () => {
    secure ??= new (https().Agent)({ keepAlive: true, secureContext: trust() });
    return secure;
  };
  return {
    carry: ({ url, method, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const isSecure = url.protocol === 'https:';
        const send = isSecure ? https().request : request;
        const sent = send(url, { method, headers, signal, timeout: headMs, agent: isSecure ? secureAgent() : plain });
        sent.once('timeout', () => sent.destroy(new Error(`Nothing came within ${headMs} ms.`)));
        sent.once('error', reject);
        sent.once('response', (answer) => {
          sent.setTimeout(0);
          resolve(answer);
        });
        if (body === undefined || typeof body === 'string') sent.end(body);
        else {
          body.once('error', (error) => sent.destroy(error));
          body.pipe(sent);
        }
      }),
    close: () => {
      plain.destroy();
      secure?.destroy();
    },
  };
}
