import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CertificateAuthority,
  createCertificateAuthority,
  describeWithCertificates,
} from '../helpers/server-certificates.ts';

const repository = path.resolve(import.meta.dirname, '../..');

/** Asks an address as commands do, and as libraries with an HTTP client of their own do, in a process of its own, because a process reads the authorities once. */
const program = `
  import { get } from 'node:https';
  import { createHttp } from '#node/http/http-client';
  import { createNodeAgents } from '#node/http/node-agents';
  import { systemClock as clock } from '#node/system/system-clock';
  import { systemRandom as random } from '#node/system/system-random';
  import { proxiesFrom } from '#kernel/environment/proxies';
  const proxies = proxiesFrom(process.env);
  const http = createHttp({ clock, random, ...proxies });
  const { httpsAgent: agent } = createNodeAgents(proxies);
  const [, url] = process.argv;
  const outcome = (asked) => asked.then(({ status }) => status, ({ code, safeDetails }) => [code, safeDetails.errno]);
  // An open stream alone does not keep the process alive.
  const life = setInterval(() => undefined, 1000);
  const sent = await outcome(http.send({ method: 'GET', url }));
  const opened = await outcome(http.open({ url, signal: new AbortController().signal }));
  const requested = await new Promise((resolve) => {
    const answered = (answer) => resolve(answer.resume().statusCode);
    get(url, { agent }, answered).on('error', ({ code }) => resolve(code));
  });
  process.stdout.write(JSON.stringify({ sent, opened, requested }));
  clearInterval(life);
  agent.destroy();
  await http.close();
`;

const answered = { sent: 200, opened: 200, requested: 200 };

async function ask(url: string, variables: Readonly<Record<string, string>>): Promise<unknown> {
  const parameters = ['--conditions=vendor-source', '--input-type=module', '--eval', program, url];
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: repository, env });
  return JSON.parse(stdout);
}

describeWithCertificates('a server whose authority the system trusts, and Node.js does not', () => {
  const open: Server[] = [];
  let authority: CertificateAuthority;
  let port: number;

  const listening = async (server: Server): Promise<number> => {
    open.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  /** A proxy that leads every address to the server, for those whose `Proxy-Authorization` passes. */
  const proxyTo = (passes: (authorization: string | undefined) => boolean): Server => {
    const proxy = createServer();
    proxy.on('connect', ({ headers }, client) => {
      if (!passes(headers['proxy-authorization'])) {
        const head = ['HTTP/1.1 407 Proxy Authentication Required', 'Proxy-Authenticate: Basic realm="proxy"'];
        client.end(`${head.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      const target = connect(port, '127.0.0.1', () => client.write('HTTP/1.1 200 Connected\r\n\r\n'));
      target.pipe(client).pipe(target);
      for (const socket of [target, client]) socket.on('error', () => socket.destroy());
    });
    return proxy;
  };

  beforeAll(async () => {
    authority = await createCertificateAuthority();
    const { certificatePath, keyPath } = await authority.issue(['DNS:localhost', 'DNS:platform.example']);
    const files = { cert: await readFile(certificatePath), key: await readFile(keyPath) };
    port = await listening(createSecureServer(files, (_request, response) => response.end('here')));
  });

  afterAll(async () => {
    for (const server of open) server.close();
    await authority.remove();
  });

  it('is refused where neither knows the authority', async () => {
    const reason = expect.stringMatching(/SELF_SIGNED|UNABLE_TO_VERIFY|LOCALLY/);
    const refused = ['PLATFORM_UNREACHABLE', reason];
    const nothing = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/dev/null' };
    const outcomes = { sent: refused, opened: refused, requested: reason };
    expect(await ask(`https://localhost:${port}/`, nothing)).toEqual(outcomes);
  });

  it('answers requests and opens streams', async () => {
    const system = { SSL_CERT_FILE: authority.certificatePath };
    expect(await ask(`https://localhost:${port}/`, system)).toEqual(answered);
  });

  it('answers through a proxy as well', async () => {
    const https_proxy = `http://127.0.0.1:${await listening(proxyTo(() => true))}`;
    const system = { SSL_CERT_FILE: authority.certificatePath, https_proxy };
    expect(await ask('https://platform.example/', system)).toEqual(answered);
  });

  it('answers through a proxy that asks for a password, which its address has', { tags: 'long' }, async () => {
    const wanted = `Basic ${Buffer.from('team:a/b@ü 1%').toString('base64')}`;
    const proxyPort = await listening(proxyTo((authorization) => authorization === wanted));
    const askAs = (login: string) => {
      const https_proxy = `http://${login}127.0.0.1:${proxyPort}`;
      return ask('https://platform.example/', { SSL_CERT_FILE: authority.certificatePath, https_proxy });
    };
    expect(await askAs('team:a%2Fb%40%C3%BC%201%25@')).toEqual(answered);
    const refused = ['PLATFORM_UNREACHABLE', expect.any(String)];
    const outcomes = { sent: refused, opened: refused, requested: expect.stringContaining('PROXY') };
    expect(await askAs('team:other@')).toEqual(outcomes);
    expect(await askAs('')).toEqual(outcomes);
  });
});
