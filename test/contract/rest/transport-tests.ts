import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { expectError, expectText } from './expectations.ts';
import type { Client } from './rest-suite.ts';

/** A type that the parsers of most applications leave to the agent. */
const unparsed = { 'content-type': 'application/vnd.api+json' };

export function transportTests({ ask, url, token }: Client): void {
  describe('transport', () => {
    it('says that the agent runs, without a token', async () => {
      for (const target of ['', '/']) {
        const { status, json } = await ask(target, { token: null, timezone: null });
        expect({ status, json }).toEqual({ status: 200, json: { error: null, message: 'Agent is running' } });
      }
    });

    it.each([
      ['#1 no time zone', null],
      ['#2 a time zone that does not exist', 'Mars/Base'],
    ])('refuses %s', async (_case, timezone) => {
      expectError(await ask('/orders', { timezone }), 400, 'ValidationError');
    });

    it('#3 answers an unknown path with 401 before a token was checked, and as text after', async () => {
      expectError(await ask('/nope', { token: null }), 401, 'UnauthorizedError');
      expectText(await ask('/nope'), 404);
      expectText(await ask('/orders/1', { method: 'PATCH', body: {} }), 404);
    });

    it('#4 answers the preflight of any origin without a token', async () => {
      const { status, headers } = await ask('/orders', {
        method: 'OPTIONS',
        token: null,
        headers: { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
      });
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('https://elsewhere.example');
      expect(headers.get('access-control-max-age')).toBe('86400');
    });

    it('#5 takes OPTIONS that are not a preflight for a request like any', async () => {
      expectError(await ask('/orders', { method: 'OPTIONS', token: null }), 401);
    });

    it('#6 lets the session cookie win over a bearer token', async () => {
      const headers = { cookie: `other=1; service_session_token=${await token()}` };
      expect((await ask('/orders', { token: 'broken', headers })).status).toBe(200);
    });

    it('#7 answers JSON that is cut off or no structure as text', async () => {
      for (const body of ['{"data":', '12', '"text"', '{"data":{"__proto__":1}']) {
        expectText(await ask('/orders', { method: 'POST', body, headers: unparsed }), 400);
      }
    });

    it('#8 answers a body of 51 MB as text, before it has come', async () => {
      const sent = request(`${url()}/orders?timezone=UTC`, {
        method: 'POST',
        headers: { ...unparsed, authorization: `Bearer ${await token()}`, 'content-length': 51 * 1024 ** 2 },
      });
      // The agent closes the connection; what is still to be sent has nowhere to go.
      sent.on('error', () => undefined);
      sent.flushHeaders();
      const [{ statusCode: status, headers }] = await once(sent, 'response');
      sent.destroy();
      expectText({ status, headers: new Headers({ 'content-type': headers['content-type'] }) }, 413);
    });

    it('finds collections in any case, behind a trailing slash, and with spaces, slashes and accents', async () => {
      expect((await ask('/ORDERS/1/')).status).toBe(200);
      expect((await ask('/orders', { method: 'HEAD' })).status).toBe(200);
      for (const name of ['/a%20b%2F%C3%A7', '/a%20b/%C3%A7']) {
        expect((await ask(`${name}/1`)).json).toMatchObject({ data: { type: 'a b/ç', attributes: { label: 'odd' } } });
        expect((await ask(`${name}/count`)).json).toEqual({ count: 1 });
      }
      expect((await ask('/%E0%A4%A')).status).toBe(400);
    });

    it('lets a page of any origin read the answer and its correlation id', async () => {
      const { headers } = await ask('/orders/1', { headers: { origin: 'https://elsewhere.example' } });
      expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(headers.get('access-control-allow-origin')).toBe('https://elsewhere.example');
      expect(headers.get('access-control-expose-headers')).toBe(
        'x-service-correlation-id, service-schema-revision, service-chart-kind, service-read-position, etag',
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-service-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
    });
  });
}
