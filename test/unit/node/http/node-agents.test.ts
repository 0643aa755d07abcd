import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { createServer, get as getSecurely } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import { createNodeAgents } from '#node/http/node-agents';
import { startHttpServer } from '../../../helpers/http-server.ts';
import { createCertificateAuthority, describeWithCertificates } from '../../../helpers/server-certificates.ts';

const none = { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };

async function answerTo(request: ReturnType<typeof get>): Promise<string> {
  const [response]: IncomingMessage[] = await once(request, 'response');
  return response ? text(response) : '';
}

it('the agents go through the proxy, but to the hosts that need none', async () => {
  const proxy = await startHttpServer((request, response) => response.end(request.url));
  const behind = await startHttpServer((_request, response) => response.end('from the server'));
  const url = `http://127.0.0.1:${behind.port}/file`;
  const other = 'http://files.test/file';
  const { httpAgent } = createNodeAgents({ ...none, httpProxy: proxy.origin });
  expect(await answerTo(get(other, { agent: httpAgent }))).toBe(other);
  expect(await answerTo(get(url, { agent: httpAgent }))).toBe('from the server');
  const { httpAgent: direct } = createNodeAgents({ ...none, httpProxy: proxy.origin, noProxy: 'files.test' });
  const leading = { agent: direct, lookup: toThisMachine };
  expect(await answerTo(get(`http://files.test:${behind.port}/file`, leading))).toBe('from the server');
  for (const agent of [httpAgent, direct]) agent.destroy();
});

describeWithCertificates('a secure agent', () => {
  it('trusts the authorities that Node.js has been given', async () => {
    const authority = await createCertificateAuthority();
    const before = tls.getCACertificates('default');
    onTestFinished(async () => {
      tls.setDefaultCACertificates(before);
      await authority.remove();
    });
    const { certificatePath, keyPath } = await authority.issue(['IP:127.0.0.1']);
    const [cert, key] = await Promise.all([readFile(certificatePath), readFile(keyPath)]);
    const server = createServer({ cert, key }, (_request, response) => response.end('secret')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { httpsAgent: strange } = createNodeAgents(none);
    await expect(answerTo(getSecurely(url, { agent: strange }))).rejects.toMatchObject({
      code: expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY/),
    });
    tls.setDefaultCACertificates([...before, authority.certificate]);
    const { httpsAgent } = createNodeAgents(none);
    expect(await answerTo(getSecurely(url, { agent: httpsAgent }))).toBe('secret');
    httpsAgent.destroy();
  });
});

const toThisMachine: LookupFunction = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
