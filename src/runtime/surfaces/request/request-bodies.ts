import type { IncomingMessage } from 'node:http';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** How many requests may wait for their bodies at once. */
export interface UnfinishedBodyLimits {
  /** In all. */
  readonly unfinishedBodies: number;
  /** From one address. */
  readonly unfinishedBodiesPerAddress: number;
}

/** A request whose body has not arrived in full. */
export interface UnfinishedBody {
  /** The body has arrived, or the request is over. Calling it again does nothing. */
  end(): void;
}

interface Waiting {
  readonly giveUp: (reason: CloudError) => void;
}

/** How long a client may go on sending a body after the answer. */
const lateBodyMs = 5_000;

/**
 * The requests that wait for their bodies. A client that sends a body slowly, or never, does not take the place of others:
 * where too many wait, the one that has waited longest is given up for the newest. Bodies of honest clients arrive within
 * moments, so theirs is rarely the oldest.
 */
export class UnfinishedBodies {
  readonly #limits: UnfinishedBodyLimits;
  /** Oldest first, as sets keep them. */
  readonly #all = new Set<Waiting>();
  readonly #byAddress = new Map<string, Set<Waiting>>();

  constructor(limits: UnfinishedBodyLimits) {
    this.#limits = limits;
  }

  /**
   * @param address of the client, as far as trusted proxies tell.
   * @param giveUp Answers the request with the reason; its body is waited for no longer.
   */
  add(address: string, giveUp: Waiting['giveUp']): UnfinishedBody {
    const { unfinishedBodies, unfinishedBodiesPerAddress } = this.#limits;
    const waiting: Waiting = { giveUp };
    const ofAddress = this.#byAddress.get(address) ?? new Set();
    if (ofAddress.size >= unfinishedBodiesPerAddress) giveUpOldest(ofAddress);
    if (this.#all.size >= unfinishedBodies) giveUpOldest(this.#all);
    ofAddress.add(waiting);
    this.#all.add(waiting);
    this.#byAddress.set(address, ofAddress);
    return { end: () => this.#remove(waiting, address) };
  }

  #remove(waiting: Waiting, address: string): void {
    this.#all.delete(waiting);
    const ofAddress = this.#byAddress.get(address);
    ofAddress?.delete(waiting);
    if (ofAddress?.size === 0) this.#byAddress.delete(address);
  }
}

/** Whether a request announces a body that has not arrived in full. */
export function awaitsBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  return length !== '0' || coding !== undefined;
}

/**
 * End the connection of a request that is answered, if the rest of its body does not arrive soon. The request ends it
 * itself: what stands in its place, such as an injected request, has no connection to end.
 */
export function endLateBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  const late = setTimeout(() => request.destroy(), lateBodyMs);
  late.unref();
  request.once('close', () => clearTimeout(late));
}

function giveUpOldest(waiting: Set<Waiting>): void {
  for (const oldest of waiting) {
    oldest.giveUp(tooManyBodies(waiting.size));
    return;
  }
}

function tooManyBodies(count: number): CloudError {
  return cloudError(
    'AGENT_BUSY',
    `The body of the request did not arrive while ${count} newer requests waited for theirs.`,
    'Send the request again, with its body at once.',
  );
}

const hostBodies = new WeakMap<IncomingMessage, unknown>();

/** Keep the result of a host application's parser, in case it has read the body already. */
export function rememberHostBody(request: IncomingMessage, body: unknown): void {
  hostBodies.set(request, body);
}

/** Whether a host application has begun to read the body. An empty body that was read to its end counts as ended, not as read. */
export function hasHostReadBody({ readableDidRead, readableEnded }: IncomingMessage): boolean {
  return readableDidRead || readableEnded;
}

/** What the host application made of the body. Throws `AGENT_BODY_CONSUMED` where it left nothing. */
export function hostBodyOf(request: IncomingMessage): unknown {
  const body = hostBodies.get(request);
  if (body !== undefined) return body;
  throw cloudError(
    'AGENT_BODY_CONSUMED',
    'The application around the agent has read the body of the request and left nothing of it.',
    'Mount the agent before whatever reads bodies, or have that put what it has read into "body".',
  );
}

/** The body of a request as it comes over the connection; `undefined` for one of more than `maxBytes`. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
