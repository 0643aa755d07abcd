import { randomUUID } from 'node:crypto';
import { sha256Hex } from '#node/system/digest';
import { redeemDeviceCode } from './device-approval.ts';

export const clientAddress = '203.0.113.7';
export const password = 'correct horse battery';

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls to the API of a platform that trusts this machine as a proxy; they come from `clientAddress`. */
export function platformCalls(url: string) {
  const call = async (
    token: string | null,
    method: string,
    path: string,
    body?: unknown,
    environment?: string,
  ): Promise<Answer> => {
    const isBytes = body instanceof Uint8Array;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'x-forwarded-for': clientAddress,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(environment === undefined ? {} : { 'service-environment': environment }),
        ...(body === undefined ? {} : { 'content-type': isBytes ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isBytes ? Buffer.from(body) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) };
  };

  return {
    call,
    /** The secret of an invitation; `undefined` where it was refused. */
    invite: async (token: string, email: string, team: string): Promise<string> => {
      const invitation = { email, level: 'developer', role: 'Administrators', team };
      const { body } = await call(token, 'POST', '/api/invitations', invitation);
      return String(body['link']).split('#')[1] ?? '';
    },
    /** Upload code and make a version of it. */
    push: async (token: string, projectId: number, code: string): Promise<Answer> => {
      const content = new TextEncoder().encode(code);
      const digest = sha256Hex(content);
      await call(token, 'PUT', `/api/bundles/${digest}`, content);
      const manifest = {
        formatVersion: 2,
        projectId,
        code: { digest, sizeBytes: content.byteLength },
        permissions: null,
        dataSources: {},
        builtWith: '0.1.0',
        gitCommit: null,
      };
      return call(token, 'POST', '/api/versions', { manifest, message: code, idempotencyKey: randomUUID() });
    },
    /** Sign in as Bob with a device code; a token for the API. */
    login: async (): Promise<string> => {
      const made = await call(await redeemDeviceCode(url), 'POST', '/api/tokens', { purpose: 'laptop' });
      return String(made.body['token']);
    },
  };
}
