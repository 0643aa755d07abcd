import { createHmac } from 'node:crypto';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { HttpRequest, HttpResponse } from '#kernel/ports/http';

/** How actions made on the platform may call addresses. */
export interface WebhookOptions {
  /** `https://hooks.example.test`; other origins are refused. */
  readonly allowedOrigins: readonly string[];
  /** Signs what is sent: `X-Service-Signature: sha256=<HMAC of the body>`. */
  readonly secret?: string | undefined;
}

export type SendHttp = (request: HttpRequest) => Promise<HttpResponse>;

/** Calls an address. Throws `REQUEST_UNPROCESSABLE` for one that is not allowed, or that answers with an error. */
export type SendWebhook = (url: string, body: unknown) => Promise<void>;

export function createWebhookSender(send: SendHttp, { allowedOrigins, secret }: WebhookOptions): SendWebhook {
  return async (url, content) => {
    const { origin } = new URL(url);
    if (!allowedOrigins.includes(origin)) {
      throw refused(`The agent does not call ${origin}.`, 'Name the origin in experimental.webhookCustomActions.');
    }
    const body = JSON.stringify(content);
    const signature = secret === undefined ? undefined : createHmac('sha256', secret).update(body).digest('hex');
    const sent = send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        ...(signature === undefined ? {} : { 'x-service-signature': `sha256=${signature}` }),
      },
      body,
    });
    // The request may have been carried out all the same, so the message does not say to try again.
    const { status } = await sent.catch((error: unknown) => {
      throw refused(`${origin} did not answer.`, 'Look at what is called.', error);
    });
    if (status >= 200 && status <= 299) return;
    throw refused(`${origin} answered with the status ${status}.`, 'Look at what is called.');
  };
}

function refused(message: string, nextStep: string, cause?: unknown): CloudError {
  return cloudError('REQUEST_UNPROCESSABLE', message, nextStep, { ...(cause === undefined ? {} : { cause }) });
}
