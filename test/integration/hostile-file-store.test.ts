import type { ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeAgents } from '#node/http/node-agents';
import { openFileBucket } from '#runtime/plugins/file-storage/file-bucket';
import { startHttpServer } from '../helpers/http-server.ts';

const secretAccessKey = 'a-very-secret-key';
const megabyte = 1024 * 1024;

/** A bucket whose store answers as it likes, asked for one file of at most a megabyte. */
async function readFrom(answer: (response: ServerResponse) => unknown) {
  const server = await startHttpServer((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    return answer(response);
  });
  const agents = createNodeAgents({ httpProxy: undefined, httpsProxy: undefined, noProxy: undefined });
  onTestFinished(() => {
    agents.httpAgent.destroy();
    agents.httpsAgent.destroy();
  });
  const credentials = { accessKeyId: 'key', secretAccessKey };
  const options = { name: 'files', endpoint: server.origin, forcePathStyle: true, credentials };
  const bucket = openFileBucket(options, () => agents, 500);
  return bucket.get('a.pdf', (sizeBytes) => sizeBytes <= megabyte);
}

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse): void {
  const part = Buffer.alloc(100_000, ' ');
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
}

function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.once('close', () => clearInterval(timer));
}

it.each<[string, (response: ServerResponse) => unknown]>([
  ['does not say its size', pour],
  ['is larger than it may be', (response) => pour(response.writeHead(200, { 'content-length': 2 * megabyte }))],
])('a file that %s is not read', async (_what, answer) => {
  expect(await readFrom(answer)).toBe('unwanted');
});

it.each<[string, string, (response: ServerResponse) => unknown]>([
  ['drips a file', 'FILE_STORE_UNAVAILABLE', (response) => drip(response.writeHead(200, { 'content-length': 1000 }))],
  ['says nothing', 'FILE_STORE_UNAVAILABLE', () => undefined],
  ['breaks off', 'FILE_STORE_UNAVAILABLE', (response) => response.destroy()],
  ['sends headers without an end', 'FILE_STORE', (response) => response.setHeader('x', 'x'.repeat(100_000)).end()],
  ['answers with a page', 'FILE_STORE', (response) => response.writeHead(403).end(`<p>${secretAccessKey}`)],
  [
    'answers with entities in entities',
    'FILE_STORE',
    (response) =>
      response
        .writeHead(400, { 'content-type': 'application/xml' })
        .end(
          '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]><Error><Code>&b;</Code></Error>',
        ),
  ],
])('a store that %s is one that fails, and is given up', async (_what, code, answer) => {
  const failure: unknown = await readFrom(answer).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: expect.stringContaining(code) });
  expect(JSON.stringify(failure)).not.toContain(secretAccessKey);
});

it('a store that redirects sends the agent to nobody else', async () => {
  let asked = 0;
  const other = await startHttpServer((_request, response) => {
    asked += 1;
    response.end('x');
  });
  for (const code of [301, 302, 307, 308]) {
    const location = `${other.origin}/files/a.pdf`;
    const failure = await readFrom((response) => response.writeHead(code, { location }).end()).catch(
      (error: unknown) => error,
    );
    expect([code, failure]).toMatchObject([code, { code: expect.stringContaining('FILE_STORE') }]);
  }
  expect(asked).toBe(0);
});
