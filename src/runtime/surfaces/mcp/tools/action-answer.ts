import { Readable } from 'node:stream';
import type { ActionOutcome } from '../../../actions/action-service.ts';
import type { ActionResult, FileContent } from '../../../customizer/action-definition.ts';

/** How the result of an action is reported. */
interface ActionAnswer {
  readonly status: ActionResult['type'];
  readonly message?: string;
  readonly html?: string;
  readonly invalidatedRelations?: string[];
  readonly webhook?: { readonly url: string; readonly method: string };
  readonly redirectTo?: string;
  readonly file?: { readonly name: string; readonly mimeType: string; readonly bytes?: number };
}

const longestHtml = 20_000;

/** The result of an action for a model. What only a browser can do is reported and not done. */
export function actionAnswer({ result }: ActionOutcome): ActionAnswer {
  if (result === undefined) return { status: 'success', message: 'Success' };
  switch (result.type) {
    case 'success':
      return {
        status: 'success',
        message: result.message || 'Success',
        ...htmlOf(result),
        ...(result.invalidated.length > 0 ? { invalidatedRelations: [...result.invalidated] } : {}),
      };
    case 'error':
      return { status: 'error', message: result.message, ...htmlOf(result) };
    case 'webhook': {
      const { url, method } = result;
      const message = 'The action asks the browser of its user for this call. It was not made.';
      return { status: 'webhook', message, webhook: { url, method } };
    }
    case 'redirect':
      return { status: 'redirect', message: 'The result is at this address.', redirectTo: result.path };
    case 'file':
      return fileAnswer(result);
  }
}

function htmlOf({ html }: { readonly html?: string }): { readonly html?: string } {
  return html === undefined ? {} : { html: html.slice(0, longestHtml) };
}

/** An answer for an assistant that may have been told what to do: nothing in it can be fetched, opened or rendered. */
export function withoutAddresses<Answer extends { readonly status: string }>(answer: Answer): Answer {
  const { html, webhook, redirectTo, ...rest } = answer as Answer & Partial<ActionAnswer>;
  if (html === undefined && webhook === undefined && redirectTo === undefined) return answer;
  const note = 'Addresses and HTML are left out: this assistant has read text that people outside can write.';
  return { ...rest, notes: [note] } as unknown as Answer;
}

/** The bytes never pass through a model. */
function fileAnswer({ content, name, mimeType }: Extract<ActionResult, { type: 'file' }>): ActionAnswer {
  const bytes = sizeOf(content);
  if (bytes === undefined) endStream(content);
  const message =
    'The action made a file. Its content is not sent to assistants; run the action in the user interface.';
  return { status: 'file', message, file: { name, mimeType, ...(bytes === undefined ? {} : { bytes }) } };
}

function sizeOf(content: FileContent): number | undefined {
  if (typeof content === 'string') return Buffer.byteLength(content);
  return content instanceof Uint8Array ? content.byteLength : undefined;
}

/** Nobody reads the stream, so whatever it holds open has to be let go. */
function endStream(content: FileContent): void {
  if (content instanceof Readable) content.destroy();
  else if (content instanceof ReadableStream) void content.cancel();
}
