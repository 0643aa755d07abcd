import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import { silentLogger } from '#kernel/ports/logger';
import { type Sandbox, startSandbox } from '#sandbox/index';

/** A platform for tests, on this machine only. */
export interface ForestServerSandbox {
  /** What `SERVICE_SERVER_URL` of the agent under test is set to. */
  readonly url: string;
  readonly port: number;
  /** Stop it and forget everything it stored. May be called again. */
  close(): Promise<void>;
}

/**
 * Start a platform that imitates the hosted one for tests. Any environment secret works; everything is allowed until a
 * test client overrides a permission. Port 0 takes any free one.
 *
 * @throws `MACHINE_PORT_IN_USE` when the port is taken.
 */
export async function createForestServerSandbox(port: number): Promise<ForestServerSandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
  const forget = () => rm(folder, { recursive: true, force: true });
  let sandbox: Sandbox;
  try {
    sandbox = await startSandbox({
      store: { dialect: 'sqlite', storage: path.join(folder, 'platform.sqlite') },
      port: { port, isExact: true },
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      isForTests: true,
    });
  } catch (error) {
    await forget();
    throw error;
  }
  return {
    url: sandbox.url,
    port: Number(new URL(sandbox.url).port),
    close: async () => {
      await sandbox.stop();
      await forget();
    },
  };
}
