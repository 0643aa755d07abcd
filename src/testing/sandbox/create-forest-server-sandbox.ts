import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { silentLogger } from '#kernel/ports/logger';
import { unknownOption } from '#kernel/text/nearest-name';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import {
  type Fault,
  type InjectedFault,
  type JournalEntry,
  type RequestFilter,
  type Sandbox,
  startSandbox,
  TestTraffic,
} from '#sandbox/index';

/** A platform for tests, on this machine only. Agents in any language find it through `SERVICE_SERVER_URL`. */
export interface ForestServerSandbox {
  /** What `SERVICE_SERVER_URL` of the agent under test is set to. */
  readonly url: string;
  readonly port: number;
  /** What agents have asked the platform, in the order of arrival, without what tests ask it: the newest 10,000 requests. */
  requests(filter?: RequestFilter): readonly JournalEntry[];
  /**
   * The first request that fits, once it has arrived. Rejects with `TEST_AGENT_UNREACHABLE` after `timeoutMs` milliseconds, 5,000
   * unless told otherwise.
   */
  waitForRequest(filter: RequestFilter, timeoutMs?: number): Promise<JournalEntry>;
  /** Forget the requests up to now. */
  clearRequests(): void;
  /**
   * Make requests of agents slow, refused or cut off. Where several faults fit a request, the first counts. Throws
   * `TEST_OPTION_INVALID`.
   */
  injectFault(fault: Fault): InjectedFault;
  /** Stop it and forget everything it stored. May be called again. */
  close(): Promise<void>;
}

/**
 * Start a platform that imitates the hosted one for tests. Any environment secret works; everything is allowed until a
 * test client sets fixtures or overrides a permission. Port 0 takes any free one.
 *
 * @throws `MACHINE_PORT_IN_USE` when the port is taken.
 */
export async function createForestServerSandbox(port: number): Promise<ForestServerSandbox> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-'));
  const forget = () => rm(folder, { recursive: true, force: true });
  const traffic = new TestTraffic();
  let sandbox: Sandbox;
  try {
    sandbox = await startSandbox({
      store: { dialect: 'sqlite', storage: path.join(folder, 'platform.sqlite') },
      port: { port, isExact: true },
      clock: systemClock,
      random: systemRandom,
      logger: silentLogger,
      isForTests: true,
      traffic,
    });
  } catch (error) {
    await forget();
    throw error;
  }
  const close = async () => {
    await sandbox.stop();
    await forget();
  };
  return {
    url: sandbox.url,
    port: Number(new URL(sandbox.url).port),
    requests: (filter) => traffic.entries(filter),
    waitForRequest: (filter, timeoutMs = 5_000) =>
      traffic.arrival(filter, AbortSignal.timeout(timeoutMs)).catch((cause) => {
        throw noRequest(filter, timeoutMs, cause);
      }),
    clearRequests: () => traffic.clear(),
    injectFault: (fault) => traffic.inject(checkedFault(fault)),
    close,
  };
}

const faultMembers = Object.keys({
  method: true,
  path: true,
  delayMs: true,
  status: true,
  drop: true,
  times: true,
} satisfies Record<keyof Fault, true>);

function checkedFault(fault: Fault): Fault {
  const { status, delayMs, drop, times } = fault;
  const problem =
    unknownOption(fault, faultMembers) ??
    (status !== undefined && !(Number.isInteger(status) && status >= 400 && status <= 599)
      ? 'a "status" outside of 400 to 599.'
      : undefined) ??
    ([delayMs, times].some((count) => count !== undefined && !(count >= 0)) ? 'a negative number.' : undefined) ??
    (status === undefined && delayMs === undefined && drop !== true
      ? 'neither "delayMs", "status" nor "drop".'
      : undefined);
  if (problem === undefined) return fault;
  throw cloudError('TEST_OPTION_INVALID', `injectFault has ${problem}`, 'Correct the fault.');
}

function noRequest({ method = 'request', path: wanted }: RequestFilter, timeoutMs: number, cause: unknown): CloudError {
  return cloudError(
    'TEST_AGENT_UNREACHABLE',
    `No ${method} ${wanted ?? ''} has arrived at the sandbox within ${timeoutMs} ms.`,
    'See requests() for what has arrived, and whether SERVICE_SERVER_URL of the agent is the url of the sandbox.',
    { cause },
  );
}
