import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { type HostRecord, type HostRepository, isConnected } from '../hosts/host-repository.ts';
import type { Store } from '../store/store.ts';
import type { DeploymentChange, DeploymentRecord, DeploymentRepository } from './deployment-repository.ts';

/** What the platform found when it checked a deployment itself. */
interface CheckVerdict {
  readonly number: number;
  /** What is wrong with it; `undefined` when nothing is. */
  readonly problem: string | undefined;
}

/**
 * Take the oldest unfinished deployment of an environment as far as its hosts allow: queued, checking, then live or failed;
 * and the next ones behind it. A host that refuses it makes it fail everywhere. It is live when every connected host serves it.
 * Resolves to the number of the deployment that the platform has to check, because no host is connected.
 *
 * @param hosts Those that are connected.
 */
async function advanceDeployments(
  change: DeploymentChange,
  hosts: readonly HostRecord[],
  { verdict, withoutHost }: Check,
): Promise<number | undefined> {
  for (;;) {
    const { unfinished } = await change.current();
    if (!unfinished) return undefined;
    const { number } = unfinished;
    const ofThis = { verdict: verdict?.number === number ? verdict : undefined, withoutHost };
    const isOver = await advance(change, unfinished, hosts, ofThis);
    if (!isOver) return hosts.length > 0 ? undefined : number;
  }
}

/** What the platform itself has found, and what holds where no host is connected. */
interface Check {
  readonly verdict: CheckVerdict | undefined;
  readonly withoutHost: string;
}

/** Resolves to whether the deployment has come to its end. */
async function advance(
  change: DeploymentChange,
  deployment: DeploymentRecord,
  hosts: readonly HostRecord[],
  { verdict, withoutHost }: Check,
): Promise<boolean> {
  const { number, state, isChecked, versionNumber } = deployment;
  const end = async (end: 'live' | 'failed', note: string | null, line: string): Promise<boolean> => {
    await change.end(deployment, end, note);
    await change.say(number, line);
    return true;
  };

  const refusing = hosts.find((host) => host.refused === number);
  if (refusing) {
    const reason = `The host "${refusing.name}" refused it: ${refusing.refusedReason}`;
    return end('failed', reason, reason);
  }
  if (verdict?.problem !== undefined) return end('failed', verdict.problem, verdict.problem);
  if (hosts.length === 0) {
    if (state === 'queued') await change.update(number, { state: 'checking' });
    if (!verdict) return false;
    return end('live', withoutHost, `Version ${versionNumber} is live. ${withoutHost}`);
  }
  if (state === 'queued') {
    await change.update(number, { state: 'checking' });
    await change.say(number, `Checking on ${counted(hosts.length)}.`);
  }
  if (!isChecked) {
    if (!hosts.every((host) => host.checked === number || host.serving === number)) return false;
    await change.update(number, { isChecked: 1 });
    await change.say(number, `Checked on ${counted(hosts.length)}; swapping.`);
  }
  if (!hosts.every((host) => host.serving === number)) return false;
  return end('live', null, `Version ${versionNumber} is live on ${counted(hosts.length)}.`);
}

function counted(hosts: number): string {
  return hosts === 1 ? 'one host' : `${hosts} hosts`;
}

/**
 * Look at the hosts of an environment, and take its deployments as far as they allow. Resolves to the number of the deployment
 * that the platform has to check, because no host is connected.
 */
export type AdvanceEnvironment = (environmentId: number, verdict?: CheckVerdict) => Promise<number | undefined>;

/** Why nobody serves a version that is live. */
const nobodyServes = 'No host serves it: none is connected.';

/** @param withoutHost what holds of a version that is live where no host is connected. */
export function createAdvance(
  deployments: DeploymentRepository,
  hosts: Pick<HostRepository, 'list'>,
  clock: Clock,
  withoutHost: string = nobodyServes,
): AdvanceEnvironment {
  return async (environmentId, verdict) => {
    const now = clock.now();
    const connected = (await hosts.list(environmentId)).filter((host) => isConnected(host, now));
    return deployments.change(environmentId, (change) =>
      advanceDeployments(change, connected, { verdict, withoutHost }),
    );
  };
}

/** How often deployments are looked at whose hosts may have gone silent, in milliseconds. */
const sweepMs = 5_000;

/**
 * Go on with deployments that wait for hosts which went away, or whose process of the platform ended. One process of the
 * platform does it at a time. Returns how to stop.
 */
export function sweepDeployments(
  store: Store,
  repository: DeploymentRepository,
  goOn: (environmentId: number) => Promise<void>,
  logger: Logger,
): () => Promise<void> {
  let sweeping: Promise<unknown> = Promise.resolve();
  const sweep = async () => {
    for (const environmentId of await repository.environmentsWithUnfinished()) await goOn(environmentId);
  };
  const timer = setInterval(() => {
    sweeping = sweeping
      .then(() => store.exclusively('deployment sweep', sweep))
      .catch((error: unknown) => logger.log('Warn', 'Deployments could not be looked at.', { error }));
  }, sweepMs).unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
