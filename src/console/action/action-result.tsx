import { Button, Buttons, Notice } from '../design/controls.tsx';
import { ForeignHtml } from '../design/foreign-html.tsx';
import { saveFile } from '../design/save-file.ts';
import { useMessages } from '../messages/index.ts';
import { wholeBody } from '../wire/http.ts';

/** What an action answered. */
export type ActionResult =
  | { readonly kind: 'success'; readonly message: string; readonly html?: string }
  | { readonly kind: 'webhook'; readonly webhook: Webhook }
  | { readonly kind: 'redirect'; readonly path: string }
  | { readonly kind: 'file'; readonly name: string };

interface Webhook {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface WireResult {
  readonly success?: string;
  readonly html?: string;
  readonly webhook?: Webhook;
  readonly redirectTo?: string;
}

/** Read the answer of an action. A file is saved only when all of it has come. */
export async function readResult(response: Response): Promise<ActionResult> {
  const disposition = response.headers.get('content-disposition');
  if (disposition !== null) {
    const name = fileNameIn(disposition);
    saveFile(await wholeBody(response.blob()), name);
    return { kind: 'file', name };
  }
  const { success, html, webhook, redirectTo } = (await wholeBody(response.json())) as WireResult;
  if (webhook) return { kind: 'webhook', webhook };
  if (redirectTo !== undefined) return { kind: 'redirect', path: redirectTo };
  return { kind: 'success', message: success ?? '', ...(html === undefined ? {} : { html }) };
}

interface ResultViewProps {
  readonly result: ActionResult;
  readonly onClose: () => void;
}

/** What somebody has to see before it happens: the call of another server, a way that leads elsewhere, HTML of the project. */
export function ResultView({ result, onClose }: ResultViewProps) {
  const messages = useMessages();
  return (
    <>
      <ResultBody result={result} />
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </>
  );
}

function ResultBody({ result }: Pick<ResultViewProps, 'result'>) {
  const messages = useMessages();
  switch (result.kind) {
    case 'success':
      return (
        <>
          <Notice kind="success" title={result.message} />
          {result.html !== undefined && <ForeignHtml html={result.html} />}
        </>
      );
    case 'file':
      return <Notice kind="success" title={result.name} />;
    case 'redirect':
      return (
        <Notice kind="warning" title={messages.redirectAsk}>
          {isHttpAddress(result.path) ? (
            <a href={result.path} target="_blank" rel="noopener noreferrer">
              {result.path}
            </a>
          ) : (
            <code>{result.path}</code>
          )}
        </Notice>
      );
    case 'webhook':
      return (
        <Notice kind="warning" title={messages.webhookAsk}>
          <p>{messages.webhookWhy}</p>
          <pre>{curlOf(result.webhook)}</pre>
          <div>
            <Button onClick={() => void navigator.clipboard.writeText(curlOf(result.webhook))}>{messages.copy}</Button>
          </div>
        </Notice>
      );
  }
}

function isHttpAddress(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

function curlOf({ url, method, headers, body }: Webhook): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const heads = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl', '-X', method, quoted(url), ...heads, '-d', quoted(JSON.stringify(body))].join(' ');
}

/** The name in `attachment; filename="a.csv"; filename*=UTF-8''%C3%A9.csv`: the second form has every letter. */
function fileNameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(disposition)?.[1] ?? 'file';
}
