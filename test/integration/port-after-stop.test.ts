import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { type Sandbox, startSandbox } from '#sandbox/index';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const timeWait = '06';
const reason = process.platform === 'linux' ? '' : ' (skipped: only Linux lists its connections in a file)';

async function start(folder: string, port: number): Promise<Sandbox> {
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(folder, 'platform.sqlite') },
    port: { port, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** The states of the connections that have the port at their own end, as Linux writes them. */
async function statesOn(port: number): Promise<readonly string[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1, -1);
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([, at = '', , state = '']) => (at.endsWith(`:${local}`) ? [state] : []));
}

describe.skipIf(reason !== '')(`a server that stopped${reason}`, () => {
  it('gets its port again while the connections that it closed are in TIME_WAIT', async () => {
    const folder = await temporaryFolder();
    const first = await start(folder, 0);
    const port = Number(new URL(first.url).port);
    const client = connect(port, '127.0.0.1');
    client.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: keep-alive\r\n\r\n`);
    await once(client, 'data');
    const isGone = once(client.resume(), 'close');
    await first.stop();
    await isGone;
    await expect.poll(() => statesOn(port)).toEqual([timeWait]);
    const second = await start(folder, port);
    expect(second.url).toBe(first.url);
    expect((await fetch(`${second.url}/health`)).status).toBe(200);
  });
});
