import path from 'node:path';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { type Sandbox, startSandbox } from '#sandbox/index';

/** A platform in this process, on a free port and a new SQLite store in `folder`. The caller stops it. */
export function startPlatformIn(folder: string): Promise<Sandbox> {
  return startSandbox({
    store: `sqlite:${path.join(folder, 'platform.sqlite')}`,
    port: { port: 0, isExact: false },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    platformKey: systemRandom.hex(32),
  });
}
