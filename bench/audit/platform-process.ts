import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { limitYoungGeneration } from '#node/system/thread-memory';
import { startSandbox } from '#sandbox/index';

export const envSecret = 'a'.repeat(64);

/** What the process tells its parent: first where it listens, then its largest memory since it was asked last. */
export interface PlatformReport {
  readonly url: string;
  readonly userToken: string;
  readonly rssMb: number;
}

const sampleMs = 20;

/** A platform in a process of its own, for the store in its argument. It stops with its parent. */
if (process.send) {
  limitYoungGeneration();
  const [store = ''] = process.argv.slice(2);
  const sandbox = await startSandbox({
    store,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    platformKey: 'ab'.repeat(32),
    ratePolicies: [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }],
  });
  const user = { name: 'Ada', email: 'ada@example.test' };
  const { userToken } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  let rss = 0;
  setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, sampleMs);
  const report = () => {
    process.send?.({ url: sandbox.url, userToken, rssMb: rss / 1024 / 1024 } satisfies PlatformReport);
    rss = 0;
  };
  process.on('message', report);
  process.on('disconnect', () => void sandbox.stop().then(() => process.exit()));
  report();
}
