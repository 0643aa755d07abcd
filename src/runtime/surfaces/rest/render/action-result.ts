import { Readable } from 'node:stream';
import { contentDisposition } from '#kernel/text/content-disposition';
import type { ActionOutcome } from '../../../actions/action-service.ts';
import type { FileContent } from '../../../customizer/action-result.ts';
import type { RouteAnswer } from '../call/route.ts';
import { correlationHeader } from '../http/cors.ts';

/** The answer to a client for the result of an action. */
export function answerOfAction({ result, headers }: ActionOutcome): RouteAnswer {
  if (result === undefined) {
    return jsonAnswer(200, headers, { success: 'Success', refresh: { relationships: [] } });
  }
  switch (result.type) {
    case 'success': {
      const { message: success, html, invalidated: relationships } = result;
      return jsonAnswer(200, headers, { success, html, refresh: { relationships } });
    }
    case 'error':
      return jsonAnswer(400, headers, { error: result.message, html: result.html });
    case 'webhook': {
      const { type: _type, ...webhook } = result;
      return jsonAnswer(200, headers, { webhook });
    }
    case 'redirect':
      return jsonAnswer(200, headers, { redirectTo: result.path });
    case 'file':
      return { status: 200, headers: { ...fileHeaders(result), ...headers }, body: sendable(result.content) };
  }
}

/** The web framework writes JSON only for its own content type. The code of an action may set another one. */
function jsonAnswer(status: number, headers: Readonly<Record<string, string>>, body: object): RouteAnswer {
  return { status, headers, body: headers['content-type'] === undefined ? body : JSON.stringify(body) };
}

function fileHeaders({ name, mimeType }: { readonly name: string; readonly mimeType: string }) {
  const isText = /^text\/[^;]*$/i.test(mimeType);
  return {
    'content-type': isText ? `${mimeType}; charset=utf-8` : mimeType,
    'content-disposition': contentDisposition(name),
    // Headers that the browser shows to the page, besides those of every answer.
    'access-control-expose-headers': `Content-Disposition, ${correlationHeader}`,
  };
}

function sendable(content: FileContent): Readable | Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (content instanceof ReadableStream) return Readable.fromWeb(content);
  if (content instanceof Readable) return content;
  if (Symbol.asyncIterator in content) return Readable.from(content, { objectMode: false });
  throw new TypeError('A file is made of a stream, of bytes or of text.');
}
