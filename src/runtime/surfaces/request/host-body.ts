import type { IncomingMessage } from 'node:http';
import { CloudError } from '#kernel/errors/cloud-error';

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
  throw new CloudError({
    code: 'AGENT_BODY_CONSUMED',
    message: 'The application around the agent has read the body of the request and left nothing of it.',
    nextSteps: ['Mount the agent before whatever reads bodies, or have that put what it has read into "body".'],
  });
}
