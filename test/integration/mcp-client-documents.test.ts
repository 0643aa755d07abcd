import { describe, expect, it } from 'vitest';
import type { PublicFetch } from '#node/http/public-fetch';
import { createBrowser } from '../helpers/browser.ts';
import {
  authorizationUrl,
  authorize,
  codeForm,
  openConsent,
  refreshForm,
  requestToken,
  startMcpServer,
  useMcpPlatform,
} from '../helpers/mcp-authorization.ts';

const platform = useMcpPlatform();
const id = 'https://client.example/oauth/client.json';
const redirectUri = 'https://client.example/callback';
const document = { client_id: id, client_name: 'Example', redirect_uris: [redirectUri] };

/** The public internet: one document, which may change, and what was asked for. */
function internet(answer: () => Response) {
  const asked: string[] = [];
  const fetchDocument: PublicFetch = async (url) => {
    asked.push(String(url));
    return answer();
  };
  return { asked, fetchDocument };
}

const start = (fetchDocument: PublicFetch) => startMcpServer(platform(), { fetchDocument });

async function refusalOf(server: Awaited<ReturnType<typeof start>>, client = { id, redirectUri }) {
  const headers = { accept: 'application/json' };
  const answer = await fetch(authorizationUrl(server, client), { redirect: 'manual', headers });
  const text = await answer.text();
  return [answer.status, text.startsWith('{') ? JSON.parse(text).error : text];
}

describe('a client that is described by a document (row 33)', () => {
  it('gets tokens without a registration, and the page says where it is described', async () => {
    const { asked, fetchDocument } = internet(() => Response.json(document));
    const server = await start(fetchDocument);
    const client = { id, redirectUri };
    const page = await openConsent(createBrowser(), server.platform, authorizationUrl(server, client));
    expect(page.html).toContain('Connect Example?');
    expect(page.html).toContain(id);
    expect(page.html).toContain('<dt>Answer goes to</dt><dd><code>client.example</code>');
    const tokens = await requestToken(server, codeForm(client, await authorize(server, client)));
    expect([tokens.status, tokens.body]).toMatchObject([200, { scope: 'mcp:read mcp:write' }]);
    expect((await requestToken(server, refreshForm(client, tokens.refreshToken))).status).toBe(200);
    expect(asked).toEqual([id]);
  });

  it('may wait on any port of this machine', async () => {
    const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback'];
    const { fetchDocument } = internet(() => Response.json({ ...document, redirect_uris }));
    const server = await start(fetchDocument);
    const answer = await authorize(server, { id, redirectUri: 'http://127.0.0.1:50001/callback' });
    expect(answer.origin).toBe('http://127.0.0.1:50001');
  });

  it.each([
    ['answers with another status', () => new Response('', { status: 404 }), 'invalid_client'],
    [
      'leads elsewhere',
      () => new Response('', { status: 302, headers: { location: 'https://10.0.0.1/' } }),
      'invalid_client',
    ],
    ['is not JSON', () => new Response('<html>'), 'invalid_client'],
    ['is a list', () => Response.json([document]), 'invalid_client_metadata'],
    ['is larger than 16 kB', () => Response.json({ ...document, more: 'x'.repeat(20_000) }), 'invalid_client'],
    ['names another client', () => Response.json({ ...document, client_id: `${id}?` }), 'invalid_client_metadata'],
    ['holds a secret', () => Response.json({ ...document, client_secret: 'x' }), 'invalid_client_metadata'],
    [
      'has a bad address',
      () => Response.json({ ...document, redirect_uris: ['http://app.example/'] }),
      'invalid_redirect_uri',
    ],
    [
      'has a foreign scheme',
      () => Response.json({ ...document, redirect_uris: ['app:/x', redirectUri] }),
      'invalid_client',
    ],
  ])('is refused when the document %s', async (_what, answer, error) => {
    const { fetchDocument } = internet(answer);
    expect(await refusalOf(await start(fetchDocument))).toEqual([400, error]);
  });

  it.each([
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/client.json',
    'https://[::ffff:10.0.0.1]/client.json',
    'https://2130706433/client.json',
    'https://localhost/client.json',
  ])('is refused at %s', async (place) => {
    const server = await startMcpServer(platform());
    expect(await refusalOf(server, { id: place, redirectUri })).toEqual([400, 'invalid_client']);
  });

  it.each(['http://client.example/client.json', 'https://user@client.example/c', 'https://client.example/a/../c'])(
    'is not asked for at %s',
    async (place) => {
      const { asked, fetchDocument } = internet(() => Response.json(document));
      expect(await refusalOf(await start(fetchDocument), { id: place, redirectUri })).toEqual([400, 'invalid_client']);
      expect(asked).toEqual([]);
    },
  );
});

describe('the document of a client', () => {
  it('is the same from the authorization to the token, though it changes meanwhile (row 34)', async () => {
    let redirect_uris = [redirectUri];
    const { fetchDocument } = internet(() => Response.json({ ...document, redirect_uris }));
    const server = await start(fetchDocument);
    const client = { id, redirectUri };
    const answer = await authorize(server, client);
    redirect_uris = ['https://evil.example/callback'];
    const evil = codeForm(client, answer, { redirect_uri: 'https://evil.example/callback' });
    expect((await requestToken(server, evil)).body['error']).toBe('invalid_grant');
    expect(await refusalOf(server, { id, redirectUri: 'https://evil.example/callback' })).toEqual([
      400,
      'invalid_redirect_uri',
    ]);
  });

  it('stands for itself while its server is away, once the client was let in', async () => {
    let isAway = false;
    const { fetchDocument } = internet(() => (isAway ? new Response('', { status: 502 }) : Response.json(document)));
    const server = await start(fetchDocument);
    const client = { id, redirectUri };
    const tokens = await requestToken(server, codeForm(client, await authorize(server, client)));
    isAway = true;
    server.restart();
    expect((await requestToken(server, refreshForm(client, tokens.refreshToken))).status).toBe(200);
    const stranger = { id: 'https://stranger.example/client.json', redirectUri };
    expect(await refusalOf(server, stranger)).toEqual([400, 'invalid_client']);
  });

  it('names addresses that nobody asks (row 35)', async () => {
    const more = {
      logo_uri: 'https://logo.example/x.png',
      client_uri: 'https://client.example/',
      $ref: 'https://ref.example/',
    };
    const { asked, fetchDocument } = internet(() => Response.json({ ...document, ...more }));
    const server = await start(fetchDocument);
    const page = await openConsent(createBrowser(), server.platform, authorizationUrl(server, { id, redirectUri }));
    expect(page.html).not.toContain('logo.example');
    expect(asked).toEqual([id]);
  });
});
