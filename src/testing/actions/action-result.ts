import * as z from 'zod';
import type { HttpResponse } from '#kernel/ports/http';
import { unexpectedAnswer } from '../errors/agent-test-errors.ts';
import { bodyOf, textOf } from '../wire/json-exchange.ts';

/** What an action answered with, by the method of the result builder that the code used. */
export type ActionAnswer =
  | {
      readonly type: 'success';
      readonly message: string;
      readonly html: string | undefined;
      /** Names of the relations that the client reads again. */
      readonly invalidated: readonly string[];
    }
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly type: 'redirect'; readonly path: string }
  | {
      readonly type: 'file';
      /** `undefined` where the answer names none. */
      readonly name: string | undefined;
      readonly mimeType: string;
      readonly content: Uint8Array;
      /** The content, read as UTF-8. */
      readonly text: string;
    };

const jsonAnswer = z.union([
  z.object({
    success: z.string(),
    html: z.string().nullish(),
    refresh: z.object({ relationships: z.array(z.string()).default([]) }).optional(),
  }),
  z.object({
    webhook: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.unknown(),
    }),
  }),
  z.object({ redirectTo: z.string() }),
]);

/** Throws `TEST_ANSWER_UNEXPECTED`. */
export function actionAnswerOf(response: HttpResponse): ActionAnswer {
  const { headers, body: content } = response;
  const mimeType = (headers['content-type'] ?? '').replace(/;.*$/, '');
  const disposition = headers['content-disposition'];
  if (disposition !== undefined) {
    return { type: 'file', name: fileNameIn(disposition), mimeType, content, text: textOf(response) };
  }
  const answer = jsonAnswer.safeParse(bodyOf(response));
  if (!answer.success) throw unexpectedAnswer('The agent answered with no result of an action.', bodyOf(response));
  const { data } = answer;
  if ('webhook' in data) return { type: 'webhook', ...data.webhook };
  if ('redirectTo' in data) return { type: 'redirect', path: data.redirectTo };
  const { success: message, html, refresh } = data;
  return { type: 'success', message, html: html ?? undefined, invalidated: refresh?.relationships ?? [] };
}

/** The name in UTF-8 counts before the plain one. */
function fileNameIn(disposition: string): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]?.replaceAll(/\\(.)/g, '$1');
}
