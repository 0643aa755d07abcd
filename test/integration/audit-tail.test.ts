import { once } from 'node:events';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyExport } from '#contracts/audit/verify-export';
import type { LogSink } from '#flows/audit/tail/log-sink';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { makeTailFolder, runTail } from '../helpers/log-tail.ts';
import { createCertificateAuthority, describeWithCertificates } from '../helpers/server-certificates.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function start(rows: number) {
  const folder = await temporaryFolder();
  await makeTailFolder(folder);
  const api = await startAuditApi({ store: `sqlite:${path.join(folder, 'store.sqlite')}` });
  const all = Array.from({ length: rows }, (_, index) => activity({ label: `row ${index}` }));
  for (let from = 0; from < rows; from += 500) await api.report(all.slice(from, from + 500));
  const platform = { url: api.sandbox.url, token: api.token, folder };
  return { ...api, platform, file: (name: string) => path.join(folder, name), ids: all.map(({ id }) => id) };
}

/** Keeps what it is given, and fails where a test says so. */
function memorySink(fail: (call: number) => Error | undefined = () => undefined) {
  const lines: string[] = [];
  let calls = 0;
  const sink: LogSink = {
    async write(batch) {
      const error = fail(++calls);
      if (error) throw error;
      lines.push(...batch.lines.map(({ text }) => text));
    },
  };
  return { sink, ids: () => lines.map((line) => (JSON.parse(line) as { readonly id: string }).id), lines };
}

async function idsIn(file: string): Promise<readonly string[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { readonly object: string; readonly id: string });
  return rows.filter(({ object }) => object === 'activityLog').map(({ id }) => id);
}

describe('audit tail', () => {
  it('delivers every row once, and goes on behind its state', async () => {
    const { platform, report, ids } = await start(2_300);
    const { sink, ids: delivered } = memorySink();
    expect(await runTail(platform, { to: sink, state: 'tail.state' })).toMatchObject({ rows: 2_300 });
    expect(delivered()).toEqual(ids);
    const next = activity();
    await report([next]);
    expect(await runTail(platform, { to: sink, state: 'tail.state' })).toMatchObject({ rows: 1 });
    expect(delivered()).toEqual([...ids, next.id]);
  });

  it('begins with the next row where nothing else is said, and misses none between two runs', async () => {
    const { platform, report } = await start(3);
    const { sink, ids } = memorySink();
    await runTail(platform, { to: sink, state: 'tail.state', isFromStart: false });
    expect(ids()).toEqual([]);
    const next = activity();
    await report([next]);
    await runTail(platform, { to: sink, state: 'tail.state', isFromStart: false });
    expect(ids()).toEqual([next.id]);
  });

  it('follows until somebody ends it', async () => {
    const { platform, report, ids: first } = await start(2);
    const quit = new AbortController();
    const arrived: string[] = [];
    const next = activity();
    const sink: LogSink = {
      async write({ lines }) {
        arrived.push(...lines.map(({ text }) => (JSON.parse(text) as { readonly id: string }).id));
        if (arrived.includes(next.id)) quit.abort();
        else await report([next]);
      },
    };
    await runTail(platform, { to: sink, isOnce: false, signal: quit.signal });
    expect(arrived).toEqual([...first, next.id]);
  });

  it('repeats what the system has not confirmed, and nothing else', async () => {
    const { platform, ids } = await start(2_300);
    const broken = memorySink((call) => (call === 2 ? new Error('the disk is gone') : undefined));
    await expect(runTail(platform, { to: broken.sink, state: 'tail.state' })).rejects.toThrow('the disk is gone');
    expect(broken.ids()).toEqual(ids.slice(0, 1_000));
    const { sink, ids: delivered } = memorySink();
    await runTail(platform, { to: sink, state: 'tail.state' });
    expect(delivered()).toEqual(ids.slice(1_000));
  });

  it('says what to do about a torn state, and about one of another log or format', async () => {
    const { platform, file } = await start(3);
    const { sink } = memorySink();
    const run = (change: object = {}) => runTail(platform, { to: sink, state: 'tail.state', ...change });
    await run();
    for (const change of [{ isAdmin: true }, { format: 'cef' }]) {
      await expect(run(change)).rejects.toMatchObject({ code: 'TAIL_STATE_INVALID' });
    }
    const { length } = await readFile(file('tail.state'));
    for (const bytes of [0, 1, length >> 1, length - 3]) {
      await truncate(file('tail.state'), bytes);
      await expect(run(), `${bytes} bytes`).rejects.toMatchObject({
        code: 'TAIL_STATE_INVALID',
        nextSteps: [expect.stringContaining('--from-start')],
      });
    }
    const state = { object: 'tailState', version: 1, log: 'activity shop/development', format: 'ndjson' };
    await writeFile(file('tail.state'), JSON.stringify({ ...state, cursor: 'AAAA' }));
    await expect(run()).rejects.toMatchObject({ code: 'TAIL_STATE_INVALID' });
  });

  it('writes changes of the configuration in each format', async () => {
    const { platform } = await start(0);
    const lines = { ndjson: '"object":"adminLog"', ocsf: '"class_uid":', cef: 'CEF:0|Vendor|AuditLog|' };
    for (const [format, start] of Object.entries(lines)) {
      const { sink, lines: written } = memorySink();
      const { rows } = await runTail(platform, { to: sink, isAdmin: true, format: format as 'cef' });
      expect(rows).toBeGreaterThan(0);
      expect(written.every((line) => line.includes(start))).toBe(true);
    }
  });

  it.each([
    ['ftp:there'],
    ['syslog:there'],
    ['syslog:there:0'],
    ['syslog:there:70000'],
    ['hec:http://splunk.example:8088'],
    ['hec:https://user:secret@splunk.example'],
    ['hec:splunk.example'],
  ])('refuses --to %s', async (to) => {
    const { platform } = await start(0);
    const variables = { SERVICE_HEC_TOKEN: 'token' };
    const refusal: unknown = await runTail({ ...platform, variables }, { to }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'USAGE_INVALID' });
    expect(String(refusal)).not.toContain('secret');
  });
});

describe('audit tail --to file', () => {
  it('writes an export that verifies, also after a torn line', async () => {
    const { platform, file, report, json, ids } = await start(1_200);
    const to = 'file:audit.ndjson';
    await runTail(platform, { to, state: 'tail.state' });
    await writeFile(file('audit.ndjson'), '{"object":"activityLog","torn', { flag: 'a' });
    const next = activity();
    await report([next]);
    await runTail(platform, { to, state: 'tail.state' });
    await runTail(platform, { to, state: 'tail.state' });
    expect(await idsIn(file('audit.ndjson'))).toEqual([...ids, next.id]);
    const { keys } = (await json('/integrity')).body as { readonly keys: readonly string[] };
    const lines = (await readFile(file('audit.ndjson'), 'utf8')).split('\n');
    const trusted = keys.map((verifier) => ({ verifier }));
    expect(await verifyExport(lines, { keys: trusted })).toMatchObject({ outcome: 'holds', rows: 1_201 });
  });
});

describe('audit tail --to hec', () => {
  type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>];

  async function startCollector(answer: (call: number) => Answer = () => [200]) {
    const bodies: string[] = [];
    const calls: { readonly at: number; readonly url: string; readonly token: string }[] = [];
    const { origin, close } = await startHttpServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      calls.push({
        at: performance.now(),
        url: request.url ?? '',
        token: request.headers.authorization ?? '',
      });
      const [status, headers] = answer(calls.length);
      if (status === 200) bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(status, headers).end('{"text":"said","code":9}');
    });
    const events = () => bodies.flatMap((body) => body.split('\n').map((line) => JSON.parse(line)));
    return { origin, close, bodies, calls, events };
  }
  const variables = { SERVICE_HEC_TOKEN: 'b7c1' };

  it('sends batches of at most 500 events and a megabyte, with the token in a header', async () => {
    const { platform, ids, report } = await start(1_200);
    const long = Array.from({ length: 30 }, () =>
      activity({ recordIds: Array.from({ length: 1_000 }, (_, index) => `${index}`.padStart(100, '0')) }),
    );
    for (const each of long) await report([each]);
    const { origin, events, bodies, calls } = await startCollector();
    await runTail({ ...platform, variables }, { to: `hec:${origin}` });
    expect(events().map(({ event }) => event.id)).toEqual([...ids, ...long.map(({ id }) => id)]);
    expect(Math.max(...bodies.map((body) => body.split('\n').length))).toBe(500);
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThanOrEqual(1_000_000);
    expect(calls[0]).toMatchObject({ url: '/services/collector/event', token: 'Splunk b7c1' });
    const [first] = events();
    expect(first).toMatchObject({ host: 'here', source: 'service:shop/development', sourcetype: 'service:activity' });
    expect(first.time).toBe(Date.parse(first.event.createdAt) / 1000);
  });

  it('waits for a platform that is away when it starts', async () => {
    const { platform, ids } = await start(3);
    const { port } = new URL(platform.url);
    const relay = net.createServer((socket) => {
      const onward = net.connect(Number(port), '127.0.0.1');
      socket.pipe(onward).pipe(socket);
      for (const end of [socket, onward]) end.on('error', () => undefined);
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const address = relay.address() as net.AddressInfo;
    relay.close();
    await once(relay, 'close');
    const { sink, ids: delivered } = memorySink();
    const url = `http://127.0.0.1:${address.port}`;
    const { warnings } = await runTail({ ...platform, url }, { to: sink }, () =>
      relay.listen(address.port, '127.0.0.1'),
    );
    expect(warnings).toEqual([expect.stringContaining('cannot be reached')]);
    expect(delivered()).toEqual(ids);
    relay.close();
  });

  it('waits for a collector that is away, as long as it asks for', async () => {
    const { platform, ids } = await start(3);
    const { origin, events, calls } = await startCollector((call) =>
      call === 1 ? [503, { 'retry-after': '1' }] : call === 2 ? [429] : [200],
    );
    const { warnings } = await runTail({ ...platform, variables }, { to: `hec:${origin}` });
    expect(events().map(({ event }) => event.id)).toEqual(ids);
    expect((calls[1]?.at ?? 0) - (calls[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
    expect(warnings).toEqual([expect.stringContaining('answered with status 503')]);
  });

  it('ends at once where the collector refuses the token, without showing it', async () => {
    const { platform } = await start(3);
    const { origin, calls } = await startCollector(() => [403]);
    const refusal: unknown = await runTail(
      { ...platform, variables },
      { to: `hec:${origin}`, state: 'tail.state' },
    ).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'COLLECTOR_REFUSED', message: expect.stringContaining('"code":9') });
    expect(String(refusal)).not.toContain('b7c1');
    expect(calls).toHaveLength(1);
    await expect(runTail(platform, { to: `hec:${origin}` })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      nextSteps: [expect.stringContaining('SERVICE_HEC_TOKEN')],
    });
  });
});

/** Messages with their lengths before them (RFC 6587). */
function framesOf(bytes: Buffer): readonly string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(' ', at);
    const length = Number(bytes.subarray(at, blank).toString());
    frames.push(bytes.subarray(blank + 1, blank + 1 + length).toString());
    at = blank + 1 + length;
  }
  return frames;
}

/** A syslog server that keeps what it is sent. */
async function startSyslog(server: net.Server) {
  const chunks: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const take = (socket: net.Socket) => {
    socket.on('data', (chunk: Buffer) => void chunks.push(chunk));
    socket.on('end', () => ended.resolve());
  };
  server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  return { port, frames: async () => ended.promise.then(() => framesOf(Buffer.concat(chunks))) };
}

const syslogForm =
  /^<110>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z here vendor-cloud \d+ audit - CEF:0\|Vendor\|AuditLog\|1\|update\|/;

describe('audit tail --to syslog', () => {
  it('sends CEF in messages of RFC 5424, whatever characters a row has', async () => {
    const { platform, report } = await start(3);
    await report([activity({ label: 'ü ☕\nline = | \\ two' })]);
    const { port, frames } = await startSyslog(net.createServer());
    const { rows } = await runTail(platform, { to: `syslog:127.0.0.1:${port}` });
    const sent = await frames();
    expect(sent).toHaveLength(rows);
    for (const frame of sent) expect(frame).toMatch(syslogForm);
    expect(sent.at(-1)).toContain('|ü ☕ line = \\| \\\\ two|');
  });

  it('waits for a server that is away', async () => {
    const { platform } = await start(3);
    const server = net.createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as net.AddressInfo;
    server.close();
    await once(server, 'close');
    const quit = new AbortController();
    const arrived = new Promise<Buffer>((resolve) => server.on('connection', (socket) => socket.once('data', resolve)));
    const input = { to: `syslog:127.0.0.1:${port}`, isOnce: false, signal: quit.signal };
    const running = runTail(platform, input, () => server.listen(port, '127.0.0.1'));
    expect((await arrived).toString()).toMatch(/^\d+ <110>1 /);
    quit.abort();
    expect((await running).warnings).toEqual([expect.stringContaining('cannot be reached: ECONNREFUSED')]);
    server.close();
  });
});

describeWithCertificates('audit tail --to syslog+tls', () => {
  const authority = createCertificateAuthority();
  afterAll(async () => (await authority).remove());

  it('sends to a server that this machine trusts, and to no other', async () => {
    const { platform } = await start(3);
    const { certificatePath, keyPath } = await (await authority).issue(['DNS:localhost', 'IP:127.0.0.1']);
    const [cert, key] = await Promise.all([readFile(certificatePath), readFile(keyPath)]);
    const { port, frames } = await startSyslog(tls.createServer({ cert, key }));
    const to = `syslog+tls:127.0.0.1:${port}`;
    await expect(runTail(platform, { to })).rejects.toMatchObject({
      code: 'COLLECTOR_REFUSED',
      nextSteps: [expect.stringContaining('NODE_EXTRA_CA_CERTS')],
    });
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, (await authority).certificate]);
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
    await runTail(platform, { to });
    expect(await frames()).toHaveLength(3);
  });
});
