/**
 * The content of a file: text, bytes, or a stream of either (of Node.js, of the web, an async generator), which is sent as
 * it comes, as fast as the client takes it.
 */
export type FileContent = string | Uint8Array | AsyncIterable<string | Uint8Array> | WebStream;

/** A `ReadableStream`, whose type depends on which libraries a project compiles with. */
interface WebStream {
  getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: unknown }> };
}

/** How an action ended, as `ResultBuilder` makes it. */
export type ActionResult =
  | {
      readonly type: 'success';
      readonly message: string;
      readonly html?: string;
      readonly invalidated: readonly string[];
    }
  | { readonly type: 'error'; readonly message: string; readonly html?: string }
  | {
      readonly type: 'webhook';
      readonly url: string;
      readonly method: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: unknown;
    }
  | { readonly type: 'file'; readonly content: FileContent; readonly name: string; readonly mimeType: string }
  | { readonly type: 'redirect'; readonly path: string };

/** Builds what an action answers with; `execute` returns the result of one of these. */
export interface ResultBuilder {
  /** @param options `invalidated` names the relations whose records the client should fetch again. */
  success(
    message?: string,
    options?: { readonly html?: string; readonly invalidated?: readonly string[] },
  ): ActionResult;
  error(message?: string, options?: { readonly html?: string }): ActionResult;
  /** The browser of the user makes the call. */
  webhook(url: string, method?: string, headers?: Readonly<Record<string, string>>, body?: unknown): ActionResult;
  /** A download. An action that answers with one says `generateFile: true`. */
  file(content: FileContent, filename?: string, mimeType?: string): ActionResult;
  redirectTo(path: string): ActionResult;
  /** Adds a header to the response, whatever the result. */
  setHeader(name: string, value: string): ResultBuilder;
}
