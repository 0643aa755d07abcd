import { Button, Buttons, Notice } from '../design/controls.tsx';
import { ForeignHtml } from '../design/foreign-html.tsx';
import { saveFile } from '../design/save-file.ts';
import { useMessages } from '../messages/index.ts';
import type { AgentAddress } from '../wire/agent.ts';
import { wholeBody } from '../wire/http.ts';
import type { Webhook } from './webhook-call.ts';
import { WebhookView } from './webhook-view.tsx';

/** What an action answered. */
export type ActionResult =
  | { readonly kind: 'success'; readonly message: string; readonly html?: string }
  | { readonly kind: 'webhook'; readonly webhook: Webhook }
  | { readonly kind: 'redirect'; readonly path: string }
  | { readonly kind: 'file'; readonly name: string };

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
  readonly agent: AgentAddress;
  readonly result: ActionResult;
  readonly onClose: () => void;
}

/** What somebody has to see before it happens: the call of another server, a way that leads elsewhere, HTML of the project. */
export function ResultView({ agent, result, onClose }: ResultViewProps) {
  const messages = useMessages();
  return (
    <>
      <ResultBody agent={agent} result={result} />
      <Buttons>
        <Button onClick={onClose}>{messages.close}</Button>
      </Buttons>
    </>
  );
}

function ResultBody({ agent, result }: Pick<ResultViewProps, 'agent' | 'result'>) {
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
      return <WebhookView agent={agent} webhook={result.webhook} />;
  }
}

function isHttpAddress(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** The name in `attachment; filename="a.csv"; filename*=UTF-8''%C3%A9.csv`: the second form has every letter. */
function fileNameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  if (encoded !== undefined) return decodeURIComponent(encoded);
  return /filename="?([^";]+)"?/i.exec(disposition)?.[1] ?? 'file';
}
