/**
 * A platform in a process of its own, so that a test can kill it: `platform-process.ts STORE PORT`. It prints where it listens
 * and a token, as JSON, once it is ready.
 */

import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { startSandbox } from '#sandbox/index';

const [, , store = '', port = '0'] = process.argv;
const platform = await startSandbox({
  store,
  port: { port: Number(port), isExact: port !== '0' },
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  platformKey: 'a'.repeat(64),
  // What is tested meets no limit.
  ratePolicies: [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }],
});
const { userToken } = await platform.provisionDevelopment({
  project: 'shop',
  envSecret: 'e'.repeat(64),
  user: { name: 'Ada Lovelace', email: 'ada@example.test' },
});
console.log(JSON.stringify({ url: platform.url, userToken }));
