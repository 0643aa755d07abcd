import type { Deployment } from '#contracts/deployments';
import { type Deliveries, isUnfinished } from '../model/deliveries.ts';

/** How a version stands in an environment; `unknown` where its deployments are older than those that the page has. */
export type Standing = 'live' | 'coming' | 'served' | 'refused' | 'waiting' | 'unknown';

export function standingOf(version: number, deliveries: Deliveries): Standing {
  if (deliveries.live?.version === version) return 'live';
  const own = deploymentsOf(version, deliveries);
  if (own.some(isUnfinished)) return 'coming';
  if (own.some(({ state }) => state === 'replaced')) return 'served';
  if (own.length > 0) return 'refused';
  return deliveries.isComplete ? 'waiting' : 'unknown';
}

/** Newest first. */
export function deploymentsOf(version: number, { live, deployments }: Deliveries): readonly Deployment[] {
  const own = deployments.filter((deployment) => deployment.version === version);
  return live?.version === version && !own.some(({ number }) => number === live.number) ? [...own, live] : own;
}

/** What a change of what is served begins with, and what it leads to. */
export interface Swap {
  readonly kind: 'rollback' | 'promote' | 'deploy';
  readonly environment: string;
  readonly version: number;
  /** The earlier deployment that serves again, with its variables; `null` for a version with the newest variables. */
  readonly deployment: Deployment | null;
}

/** How a version comes to serve: an earlier deployment serves again, where there is one. */
export function swapTo(version: number, environment: string, deliveries: Deliveries): Swap {
  const deployment = deploymentsOf(version, deliveries).find(({ state }) => state === 'replaced') ?? null;
  const isBack = deployment !== null && deliveries.live?.version !== version;
  return { kind: isBack ? 'rollback' : 'deploy', environment, version, deployment: isBack ? deployment : null };
}
