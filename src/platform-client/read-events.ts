import { createParser } from 'eventsource-parser';
import { parsePlatformEvent } from '#contracts/platform-events';
import { type CloudError, cloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { HttpStream } from '#kernel/ports/http';
import type { EventAcks } from './event-acks.ts';
import type { PlatformEventListener, TimedEventStreamOptions } from './event-stream-options.ts';
import { platformErrorOf } from './platform-error.ts';
import { credentialHeader } from './platform-transport.ts';
import { parseServerUrl } from './server-url.ts';

/** How a connection ended, or why there was none. */
export interface StreamEnd {
  readonly reason: CloudError;
  /** How long events came through. */
  readonly livedMs: number;
  /** The server asked not to be called again for so long. */
  readonly askedPauseMs: number;
}

/** What is known over all connections of a subscription. */
export interface Progress {
  /** As the platform knows the listener. */
  readonly agent: string;
  readonly acks: EventAcks;
  /** Number of the last event; `undefined` as long as the platform has numbered none. */
  last: number | undefined;
}

/** What is known of a connection while it lives. */
interface Heard {
  connectedAt: number | undefined;
  askedPauseMs: number;
}

/** In heartbeats: a connection that was silent for longer is taken for dead. */
const patience = 2.5;
const maxEventLength = 1024 * 1024;

/** Connect once and listen until the connection ends, or is silent for too long. Never rejects. */
export async function readEvents(
  options: TimedEventStreamOptions,
  progress: Progress,
  listener: PlatformEventListener,
  signal: AbortSignal,
): Promise<StreamEnd> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(), patience * options.beatMs).unref();
  const heard: Heard = { connectedAt: undefined, askedPauseMs: 0 };
  const endedBy = (error: unknown): StreamEnd => ({
    reason: toCloudError(error),
    livedMs: heard.connectedAt === undefined ? 0 : performance.now() - heard.connectedAt,
    askedPauseMs: heard.askedPauseMs,
  });
  try {
    const stream = await connect(options, progress, heard, AbortSignal.any([signal, silence.signal]));
    const parser = createEventParser(listener, progress, heard);
    const decoder = new TextDecoder();
    for await (const chunk of stream.body) {
      watch.refresh();
      parser.feed(decoder.decode(chunk, { stream: true }));
    }
    return endedBy(disconnected('it ended the stream of events'));
  } catch (error) {
    return endedBy(silence.signal.aborted ? disconnected('it was silent for too long', error) : error);
  } finally {
    clearTimeout(watch);
    // What is still open then is an answer that nobody reads.
    silence.abort();
  }
}

async function connect(
  { serverUrl, envSecret, http }: TimedEventStreamOptions,
  { agent, last }: Progress,
  heard: Heard,
  signal: AbortSignal,
): Promise<HttpStream> {
  const base = parseServerUrl(serverUrl);
  const stream = await http.open({
    url: new URL('agent/v4/subscribe-to-events', base).href,
    headers: {
      accept: 'text/event-stream',
      'cache-control': 'no-cache',
      'service-agent-id': agent,
      ...(last === undefined ? {} : { 'last-event-id': String(last) }),
      ...credentialHeader('envSecret', { envSecret }),
    },
    signal,
  });
  heard.askedPauseMs = 1000 * (Number(stream.headers['retry-after']) || 0);
  if (stream.status !== 200) throw platformErrorOf({ ...stream, body: new Uint8Array() }, base.host, false);
  if (!stream.headers['content-type']?.startsWith('text/event-stream')) {
    throw disconnected('it answered with something that is not a stream of events');
  }
  return stream;
}

function createEventParser(listener: PlatformEventListener, progress: Progress, heard: Heard) {
  return createParser({
    maxBufferSize: maxEventLength,
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw disconnected('it sent more than any event holds', error);
    },
    onRetry: (ms) => {
      heard.askedPauseMs = ms;
    },
    onEvent: ({ event: name, data, id: text }) => {
      const id = numberOf(text);
      if (heard.connectedAt === undefined) {
        // A proxy that holds events back answers like one that passes them on; only an event tells.
        heard.connectedAt = performance.now();
        progress.acks.connected();
        // A platform that numbers its events sends those that were missed.
        if (progress.last === undefined || id === undefined) listener.connected();
        else listener.resumed();
      }
      const event = parsePlatformEvent(name, data);
      if (event) listener.received(event);
      if (id === undefined) return;
      progress.last = id;
      progress.acks.carriedOut(id);
    },
  });
}

function numberOf(id: string | undefined): number | undefined {
  return id !== undefined && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

function disconnected(why: string, cause?: unknown): CloudError {
  return cloudError(
    'PLATFORM_FAILED',
    `The platform server announces no changes: ${why}.`,
    'Check that no proxy between agent and platform holds back or cuts long answers.',
    { cause },
  );
}
