import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#kernel/ports/logger';
import { STATUS_CODES } from '#node/http/node-http';
import { type CustomizeErrorMessage, publicErrorOf } from '../request/public-error.ts';
import { PathUnknown } from './call/route.ts';
import { BodyUnreadable } from './request-body.ts';

interface ErrorOptions {
  readonly logger: Logger;
  readonly customizeErrorMessage?: CustomizeErrorMessage | undefined;
}

/** Answer with the error envelope, or as plain text where no route has seen the request. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, customizeErrorMessage }: ErrorOptions,
): void {
  if (request.raw.destroyed && !request.raw.complete) {
    // The client broke off in the middle of a body. It reads no answer, and there is no error to log.
    logger.log('Info', 'A client went away before its request had come.', { correlationId: request.id });
    sendText(reply, 400);
    return;
  }
  const textStatus = plainTextStatus(error);
  if (textStatus !== undefined) {
    sendText(reply, textStatus);
    return;
  }
  const answer = publicErrorOf(error, customizeErrorMessage, (failure) =>
    logger.log('Error', 'customizeErrorMessage threw.', { correlationId: request.id, error: failure }),
  );
  if (answer.status >= 500) logger.log('Error', 'A request failed.', { correlationId: request.id, error });
  const wait = answer.data?.['retryAfterSeconds'];
  if (typeof wait === 'number') reply.header('retry-after', String(wait));
  reply.code(answer.status).send({ errors: [answer] });
}

export function sendText(reply: FastifyReply, status: number): void {
  reply
    .code(status)
    .type('text/plain; charset=utf-8')
    .send(STATUS_CODES[status] ?? 'Error');
}

function plainTextStatus(error: unknown): number | undefined {
  if (error instanceof PathUnknown) return 404;
  if (error instanceof BodyUnreadable) return error.statusCode;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('statusCode' in error)) return undefined;
  const { code, statusCode } = error;
  // Errors that the framework finds itself: a body that is too large, or a wrong length.
  const isFrameworks = typeof code === 'string' && code.startsWith('FST_ERR_');
  return isFrameworks && typeof statusCode === 'number' && statusCode < 500 ? statusCode : undefined;
}
