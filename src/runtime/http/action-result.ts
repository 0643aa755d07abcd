import type { ActionResult, ResultBuilder } from '../customizer/action-definition.ts';
import type { RouteAnswer } from './route.ts';

/** A result builder for one call, and the headers it was told to add. */
export interface ActionResponse {
  readonly builder: ResultBuilder;
  readonly headers: Readonly<Record<string, string>>;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const lineBreak = /[\r\n\0]/;

export function createActionResponse(): ActionResponse {
  const headers: Record<string, string> = {};
  const builder: ResultBuilder = {
    success: (message = '', options = {}) => ({
      type: 'success',
      message,
      ...(options.html === undefined ? {} : { html: options.html }),
      invalidated: options.invalidated ?? [],
    }),
    error: (message = 'Error', options = {}) => ({
      type: 'error',
      message,
      ...(options.html === undefined ? {} : { html: options.html }),
    }),
    webhook: (url, method = 'POST', webhookHeaders = {}, body = {}) => ({
      type: 'webhook',
      url,
      method,
      headers: webhookHeaders,
      body,
    }),
    redirectTo: (path) => ({ type: 'redirect', path }),
    setHeader: (name, value) => {
      if (!headerName.test(name) || lineBreak.test(value)) {
        throw new TypeError(`"${name}" cannot be sent as a header: its name or its value is malformed.`);
      }
      headers[name.toLowerCase()] = value;
      return builder;
    },
  };
  return { builder, headers };
}

/** What an action's result looks like on the wire. No result counts as success. */
export function answerOfAction(
  result: ActionResult | undefined,
  headers: Readonly<Record<string, string>>,
): RouteAnswer {
  if (result === undefined)
    return { status: 200, headers, body: { success: 'Success', refresh: { relationships: [] } } };
  switch (result.type) {
    case 'success': {
      const { message: success, html, invalidated: relationships } = result;
      return { status: 200, headers, body: { success, html, refresh: { relationships } } };
    }
    case 'error':
      return { status: 400, headers, body: { error: result.message, html: result.html } };
    case 'webhook': {
      const { type: _type, ...webhook } = result;
      return { status: 200, headers, body: { webhook } };
    }
    case 'redirect':
      return { status: 200, headers, body: { redirectTo: result.path } };
  }
}
