/**
 * A platform in a process of its own, so that a test can kill it: `platform-process.ts STORE PORT`. It prints where it listens
 * and a token, as JSON, once it is ready.
 */
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import { silentLogger } from '#kernel/ports/logger';
import { startSandbox } from '#sandbox/index';

const [, , store = '', port = '0'] = process.argv;
const platform = await startSandbox({
  store,
  port: { port: Number(port), isExact: port !== '0' },
  clock: systemClock,
  random: systemRandom,
  logger: silentLogger,
  platformKey: 'a'.repeat(64),
  // The log is exported after every start.
  ratePolicies: [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }],
});
const { userToken } = await platform.provisionDevelopment({
  project: 'shop',
  envSecret: 'e'.repeat(64),
  user: { name: 'Ada Lovelace', email: 'ada@example.test' },
});
console.log(JSON.stringify({ url: platform.url, userToken }));
