import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { followPlatformEvents } from '#platform-client/event-stream';
import { startDeployedEnvironment } from '../../test/helpers/deployed-environment.ts';
import { envSecret } from '../audit/platform-process.ts';
import { startPlatform } from '../audit/start-platform.ts';
import type { Bench } from '../bench-report.ts';
import { serveProject } from '../reload/serve-project.ts';
import { settledRssMb } from '../reload/settled-rss.ts';
import { readShopSource } from '../reload/shop-source.ts';
import { rounded } from '../statistics.ts';

const agents = 1_000;
const requestsOfHost = 2_000;

/** The memory of processes at rest: hosts with one worker and with two, a platform with and without agents, and a session of `dev`. */
export const benchMemory: Bench = async () => {
  const figures = {
    ...(await within(measureHosts)),
    ...(await within(measurePlatform)),
    ...(await within(measureDev)),
  };
  return { name: 'memory', figures };
};

async function within<Result>(measure: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  try {
    return await measure(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Two hosts with the same code, each after as many requests for each of its workers. */
async function measureHosts(folder: string) {
  const environment = await startDeployedEnvironment(folder, [1, 2]);
  try {
    for (const [index, url] of environment.agents.entries())
      await ask(url, environment.token, requestsOfHost * (index + 1));
    const [one = 0, two = 0] = await Promise.all(environment.processIds.map(settledRssMb));
    return { 'serve.oneWorkerMb': one, 'serve.twoWorkersMb': two, 'serve.workersRatio': rounded(two / one) };
  } finally {
    await environment.stop();
  }
}

/** Each request on a connection of its own: the system spreads connections over the workers. */
async function ask(url: string, token: string, requests: number): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  for (let asked = 0; asked < requests; asked += 20) {
    const answers = Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${url}/orders?timezone=UTC&page[size]=15`, { headers });
      await answer.arrayBuffer();
      assert.equal(answer.status, 200);
    });
    await Promise.all(answers);
  }
}

/** A platform with a store in SQLite, before and while a thousand agents listen. */
async function measurePlatform(folder: string) {
  const platform = await startPlatform(`sqlite:${path.join(folder, 'platform.sqlite')}`);
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const subscriptions: { close(): void }[] = [];
  try {
    const before = await settledRssMb(platform.pid);
    const listening = Array.from({ length: agents }, () => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const events = { connected: resolve, resumed: () => {}, received: () => {}, disconnected: reject };
      subscriptions.push(
        followPlatformEvents({ serverUrl: platform.url, envSecret, http, random: systemRandom }, events),
      );
      return promise;
    });
    await Promise.all(listening);
    const beside = await settledRssMb(platform.pid);
    return {
      'platform.restMb': before,
      'platform.agents1000Mb': beside,
      'platform.agentKb': rounded(((beside - before) * 1024) / agents),
      'platform.agentsRatio': rounded(beside / before),
    };
  } finally {
    for (const subscription of subscriptions) subscription.close();
    await http.close();
    await platform.stop();
  }
}

/** A session on the sample shop with its customizations, after one save, beside a bare server of Node.js. */
async function measureDev(folder: string) {
  const sourceOf = await readShopSource();
  const served = await serveProject(folder, ['--template', 'shop'], sourceOf('r0'));
  const server = "require('node:http').createServer((_, response) => response.end()).listen(0, '127.0.0.1')";
  const bare = execa(process.execPath, ['-e', server], { reject: false });
  try {
    await served.send('GET', '/orders?page[size]=15');
    const rest = await settledRssMb(served.pid);
    const bareMb = await settledRssMb(bare.pid ?? 0);
    return { 'dev.restMb': rest, 'dev.bareMb': bareMb, 'dev.restRatio': rounded(rest / bareMb) };
  } finally {
    bare.kill();
    await bare;
    await served.stop();
  }
}
