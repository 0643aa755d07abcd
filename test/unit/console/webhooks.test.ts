import { describe, expect, it } from 'vitest';
import { callWebhook, curlOf, linesOf, mayCall, requestOf } from '../../../src/console/action/webhook-call.ts';

const hook = { url: 'https://hooks.example.com/a', method: 'post', headers: { 'x-a': "it's" }, body: { b: 2 } };

describe('the call of a webhook', () => {
  it('is JSON that says so, unless the action names another type', () => {
    expect(requestOf(hook)).toEqual({
      url: hook.url,
      method: 'POST',
      headers: [
        ['x-a', "it's"],
        ['content-type', 'application/json'],
      ],
      body: '{"b":2}',
    });
    expect(requestOf({ ...hook, url: 'https://hооks.example.com/\u202Ea' }).url).toMatch(
      /^https:\/\/xn--.*\/%E2%80%AEa$/,
    );
    const text = requestOf({ ...hook, headers: { 'Content-Type': 'text/plain' } });
    expect(text.headers).toEqual([['Content-Type', 'text/plain']]);
    expect(requestOf({ ...hook, method: 'get' })).toMatchObject({ headers: [['x-a', "it's"]], body: undefined });
  });

  it('is shown as HTTP and as a command that makes the same call', () => {
    expect(linesOf(requestOf(hook))).toBe(
      'POST https://hooks.example.com/a\nx-a: it\'s\ncontent-type: application/json\n\n{"b":2}',
    );
    expect(curlOf(requestOf(hook))).toBe(
      "curl -X 'POST' 'https://hooks.example.com/a' -H 'x-a: it'\\''s' -H 'content-type: application/json' --data-raw '{\"b\":2}'",
    );
    expect(curlOf(requestOf({ ...hook, method: 'GET', headers: {} }))).toBe(
      "curl -X 'GET' 'https://hooks.example.com/a'",
    );
  });

  it.each([
    ['https://hooks.example.com/a?b#c', 'admin.example.com', true],
    ['https://hooks.example.com:443/', 'admin.example.com', true],
    ['https://hooks.example.com:444/', 'admin.example.com', false],
    ['https://hooks.example.com.evil.test/', 'admin.example.com', false],
    ['https://hooks.example.com@evil.test/', 'admin.example.com', false],
    ['http://hooks.example.com/', 'admin.example.com', false],
    ['/a', 'admin.example.com', false],
    ['javascript:alert(1)', 'admin.example.com', false],
    ['http://localhost:9000/', 'admin.example.com', false],
    ['http://localhost:9000/', '127.0.0.1', true],
    ['http://localhost:9000/', 'localhost', true],
    ['http://localhost:9001/', 'localhost', false],
  ])('to %s from a page of %s: %s', (url, host, isAllowed) => {
    expect(mayCall(url, ['https://hooks.example.com', 'http://localhost:9000'], host)).toBe(isAllowed);
  });

  it.each([
    { url: 'https://ada:secret@hooks.example.com/' },
    { method: 'TRACE' },
    { headers: { 'x-a': 'two\nlines' } },
    { headers: { 'no name': 'x' } },
  ])('is not made where no browser can make it: %j', async (change) => {
    expect(await callWebhook(requestOf({ ...hook, ...change }))).toMatchObject({ kind: 'impossible' });
  });
});
