import type { Registry } from 'prom-client';
import { hostGoneMs } from '#contracts/hosting';
import { subscribePath } from '#contracts/platform-events';
import type { Clock } from '#kernel/ports/clock';
import type { ObservedRequest } from '../server/team-options.ts';
import type { Store } from '../store/store.ts';

/** What the platform counts. */
export interface Metrics {
  /** A request began on a route, `null` if there is none. Returns what tells its end. */
  request(route: string | null): (request: ObservedRequest) => void;
  /** A transaction of the store ended. */
  transaction(outcome: 'committed' | 'failed', seconds: number): void;
  /** Everything in the text form of OpenMetrics. */
  text(): Promise<string>;
  readonly contentType: string;
}

const requestSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const transactionSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export async function createMetrics(store: Store, clock: Clock): Promise<Metrics> {
  const library = await import('prom-client');
  const registry: Registry = new library.Registry();
  registry.setContentType(library.Registry.OPENMETRICS_CONTENT_TYPE as never);
  library.collectDefaultMetrics({ register: registry });
  addPlatformGauges(library, registry, store, clock);
  return {
    request: requestMetrics(library, registry),
    transaction: transactionMetrics(library, registry),
    text: () => registry.metrics(),
    contentType: library.Registry.OPENMETRICS_CONTENT_TYPE,
  };
}

type Library = typeof import('prom-client');

function requestMetrics({ Counter, Gauge, Histogram }: Library, registry: Registry): Metrics['request'] {
  const registers = [registry];
  const requests = new Counter({
    name: 'vendor_cloud_requests_total',
    help: 'Requests by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'vendor_cloud_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: requestSeconds,
    registers,
  });
  const inFlight = new Gauge({
    name: 'vendor_cloud_requests_in_flight',
    help: 'Requests without their whole answer yet.',
    registers,
  });
  const agents = new Gauge({
    name: 'vendor_cloud_agents_connected',
    help: 'Agents that listen to events of this process.',
    registers,
  });
  return (pattern) => {
    const route = pattern ?? 'none';
    const isStream = route === subscribePath;
    const open = isStream ? agents : inFlight;
    open.inc();
    return ({ method, status, ms }) => {
      open.dec();
      requests.inc({ method, route, status });
      // A stream lasts as long as its agent.
      if (!isStream) durations.observe({ method, route }, ms / 1000);
    };
  };
}

function transactionMetrics({ Counter, Histogram }: Library, registry: Registry): Metrics['transaction'] {
  const registers = [registry];
  const transactions = new Counter({
    name: 'vendor_cloud_store_transactions_total',
    help: 'Transactions of the store.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'vendor_cloud_store_transaction_duration_seconds',
    help: 'Time from the call to the commit.',
    buckets: transactionSeconds,
    registers,
  });
  return (outcome, seconds) => {
    transactions.inc({ outcome });
    durations.observe(seconds);
  };
}

/** What the store knows, counted when it is asked for. */
function addPlatformGauges({ Gauge }: Library, registry: Registry, store: Store, clock: Clock): void {
  const registers = [registry];
  new Gauge({
    name: 'vendor_cloud_hosts_connected',
    help: 'Hosts that sent a beat lately, to any process.',
    registers,
    async collect() {
      this.set(await countHosts(store, clock));
    },
  });
  new Gauge({
    name: 'vendor_cloud_deployments',
    help: 'Deployments by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset();
      for (const { state, count } of await countDeployments(store)) this.set({ state }, count);
    },
  });
}

async function countHosts(store: Store, clock: Clock): Promise<number> {
  const { count } = await store.db
    .selectFrom('hosts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('seenAt', '>', clock.now() - hostGoneMs)
    .executeTakeFirstOrThrow();
  return count;
}

function countDeployments(store: Store) {
  return store.db
    .selectFrom('deployments')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .groupBy('state')
    .execute();
}

/** The same store, which counts and times its transactions. */
export function measuredStore(store: Store, metrics: Metrics): Store {
  return {
    ...store,
    async transaction(work) {
      const startedAt = performance.now();
      let outcome: 'committed' | 'failed' = 'failed';
      try {
        const result = await store.transaction(work);
        outcome = 'committed';
        return result;
      } finally {
        metrics.transaction(outcome, (performance.now() - startedAt) / 1000);
      }
    },
  };
}
