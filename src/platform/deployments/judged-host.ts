import type { Host } from '#contracts/deployments';
import { type HostRecord, isConnected } from '../hosts/host-repository.ts';
import type { CurrentDeployments, DeploymentRecord } from './deployment-repository.ts';

/** What the platform knows by itself. */
interface Known extends Pick<CurrentDeployments, 'live' | 'unfinished'> {
  /** The deployment that the host says it serves; `undefined` where it says none, or one that is not there. */
  readonly served: DeploymentRecord | undefined;
  readonly now: number;
}

/** What a host says of itself, beside what the platform makes of it. */
export function judgedHost(host: HostRecord, known: Known): Host {
  const { id, name, workers, serving, refused, refusedReason, seenAt } = host;
  const { live, unfinished, served, now } = known;
  const wanted = (unfinished?.isChecked ? unfinished : live)?.number ?? null;
  return {
    id,
    name,
    workers,
    serving,
    version: served?.versionNumber ?? null,
    liveSince: served && hasServed(served) && served.finishedAt !== null ? isoTime(served.finishedAt) : null,
    wanted,
    state: stateOf(host, wanted, known),
    refused: refused === null ? null : { deployment: refused, reason: refusedReason ?? '' },
    seenAt: isoTime(seenAt),
    isConnected: isConnected(host, now),
  };
}

function stateOf(host: HostRecord, wanted: number | null, { live, unfinished, served, now }: Known): Host['state'] {
  if (!isConnected(host, now)) return 'gone';
  if (host.serving !== null && !(served && (served.isChecked || hasServed(served)))) return 'contradicts';
  if (wanted !== null && host.refused === wanted) return 'refuses';
  if (unfinished?.state === 'checking' && !unfinished.isChecked && host.serving === (live?.number ?? null)) {
    return host.checked === unfinished.number ? 'serves' : 'checks';
  }
  return host.serving === wanted ? 'serves' : 'behind';
}

/** Whether hosts were told to serve it. */
function hasServed({ state }: DeploymentRecord): boolean {
  return state === 'live' || state === 'replaced';
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
