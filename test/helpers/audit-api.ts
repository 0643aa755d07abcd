import { onTestFinished } from 'vitest';
import type { Activity, ActivityContinuation } from '#contracts/activity';
import { activityLogSchema, pageOf } from '#contracts/public-api/activity-logs';
import type { Clock } from '#kernel/ports/clock';
import { silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import type { StoreAddress } from '#platform/store/open-store';
import { createPlatformClient } from '#platform-client/platform-client';
import { type Sandbox, startSandbox } from '#sandbox/index';

const envSecret = 'e5'.repeat(32);
const activityPage = pageOf(activityLogSchema);
/** No test of the log meets a limit. */
const ratePolicies = [{ name: 'min', quota: 1_000_000, windowSeconds: 60 }];

interface AuditApiOptions {
  readonly store: StoreAddress;
  readonly clock?: Clock;
  readonly checkpointFile?: string;
}

/** A local platform whose log is read over HTTP. It stops when the test ends. */
export async function startAuditApi({ store, clock = systemClock, ...options }: AuditApiOptions) {
  const sandbox: Sandbox = await startSandbox({
    store,
    port: { port: 0, isExact: true },
    clock,
    random: systemRandom,
    logger: silentLogger,
    platformKey: 'ab'.repeat(32),
    ratePolicies,
    ...options,
  });
  onTestFinished(() => sandbox.stop());
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const { userToken: token } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  const agent = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${sandbox.url}/v1/project/shop${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  return {
    sandbox,
    token,
    get,
    report: (entries: readonly (Activity | ActivityContinuation)[]) =>
      agent.reportActivities(entries.map((each) => JSON.stringify(each))),
    json: async (path: string) => {
      const answer = await get(path);
      const body = (await answer.json()) as Readonly<Record<string, unknown>>;
      return { status: answer.status, headers: answer.headers, body };
    },
    /** A page of activity logs, checked against the closed schema of records. */
    list: async (path: string) => activityPage.parse(await (await get(path)).json()),
    text: async (path: string) => (await get(path)).text(),
  };
}

export function activity(change: Partial<Activity> = {}): Activity {
  return {
    id: systemRandom.uuid(),
    occurredAt: '2026-01-02T03:04:05.678Z',
    durationMs: 4,
    type: 'write',
    action: 'update',
    collection: 'orders',
    recordIds: ['7'],
    recordCount: 1,
    fields: ['status'],
    source: 'rest',
    user: { id: 7, email: 'ada@example.test', name: 'Ada Lovelace', team: 'Operations', role: 'Operator' },
    renderingId: 1,
    correlationId: 'c1',
    status: 'completed',
    ...change,
  };
}
