import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Http, HttpResponse } from '#kernel/ports/http';
import { retryAfterSeconds } from '#kernel/rates/rate-policy';
import { isLoopbackHost } from '#kernel/text/loopback-host';
import type { LogLine, LogSink, TailFormat } from './log-sink.ts';

export interface HecOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly host: string;
  /** Name of the log, such as `shop/development`. */
  readonly log: string;
  readonly kind: 'activity' | 'admin';
  readonly format: TailFormat;
}

const path = '/services/collector/event';

/** An HTTP event collector of Splunk, or of what speaks like one. A batch is confirmed by a 2xx. */
export function openHecSink(http: Http, clock: Clock, options: HecOptions): LogSink {
  const url = urlOf(options.url);
  const token = tokenOf(options.token);
  return {
    // The rest of the megabyte is for what stands around the rows.
    limits: { lines: 500, bytes: 800_000 },
    async write({ lines }) {
      const body = lines.map((line) => eventOf(line, options)).join('\n');
      const headers = { authorization: `Splunk ${token}`, 'content-type': 'application/json' };
      const answer = await http.send({ method: 'POST', url: url.href, headers, body }).catch((error: unknown) => {
        throw isCloudError(error) && error.recover === 'retry' ? away(url, error.message, {}, error) : error;
      });
      refuseFailure(answer, url, clock.now());
    },
  };
}

function eventOf({ text, timeMs }: LogLine, { host, log, kind, format }: HecOptions): string {
  const about = {
    time: timeMs / 1000,
    host,
    source: `service:${log}`,
    sourcetype: format === 'ndjson' ? `service:${kind}` : `service:${kind}:${format}`,
  };
  return `${JSON.stringify(about).slice(0, -1)},"event":${format === 'cef' ? JSON.stringify(text) : text}}`;
}

function refuseFailure({ status, headers, body }: HttpResponse, url: URL, now: number): void {
  if (status >= 200 && status <= 299) return;
  if (status === 408 || status === 429 || status >= 500) {
    throw away(url, `${url.host} answered with status ${status}.`, {
      retryAfterSeconds: retryAfterSeconds(headers['retry-after'], now),
    });
  }
  const said = new TextDecoder()
    .decode(body)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, 200);
  throw cloudError(
    'COLLECTOR_REFUSED',
    `The collector at ${url.host} refused the rows with status ${status}: ${said}`,
    'Check SERVICE_HEC_TOKEN and the address after --to, then run the command again.',
  );
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url && isSafe && url.username === '' && url.password === '') {
    if (url.pathname === '/') url.pathname = path;
    return url;
  }
  throw usage(
    `"${url && url.username === '' ? text : 'hec:…'}" is not an address of an HTTP event collector.`,
    'Write hec:https://splunk.example:8088, without a token; plain http is only for this machine.',
  );
}

function tokenOf(token: string | undefined): string {
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
  throw usage(
    'There is no token for the HTTP event collector, or it holds a blank.',
    'Set SERVICE_HEC_TOKEN to the token of the collector.',
  );
}

function usage(message: string, nextStep: string): CloudError {
  return cloudError('USAGE_INVALID', message, nextStep);
}

function away(url: URL, message: string, safeDetails: Readonly<Record<string, unknown>>, cause?: unknown): CloudError {
  return cloudError(
    'COLLECTOR_UNREACHABLE',
    message,
    `Check that the collector at ${url.host} runs, and the address after --to.`,
    { safeDetails, cause },
  );
}
