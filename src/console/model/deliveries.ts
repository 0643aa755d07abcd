import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  CreateDeployment,
  Deployment,
  DeploymentList,
  DeploymentLog,
  Host,
  HostList,
  LogPage,
} from '#contracts/deployments';
import type { ChangeVariables, VariableList } from '#contracts/variables';
import type { VersionChanges, VersionList } from '#contracts/versions';
import { ask } from '../wire/http.ts';

/** What an environment serves and has served. */
export interface Deliveries {
  readonly live: Deployment | null;
  /** Revision of the variables that the next deployment takes. */
  readonly newestVariables: number;
  /** Newest first. */
  readonly deployments: readonly Deployment[];
  /** Whether these are all that the environment has had. */
  readonly isComplete: boolean;
}

/** The deployments that a page knows of. */
const pageSize = 100;
/** Hosts tell every ten seconds that they are there, and no event says so. */
const hostsMs = 10_000;
/** How often the log of the hosts is read, as the command `logs` reads it. */
const linesMs = 2_000;
/** How long the platform holds a request for the next line of a deployment. */
const waitMs = 15_000;

const of = (environment: string) => ({ 'service-environment': environment });

export function deliveriesQuery(environment: string) {
  return queryOptions({
    queryKey: ['deliveries', environment, 'deployments'],
    queryFn: ({ signal }) => readDeliveries(environment, signal),
  });
}

async function readDeliveries(environment: string, signal: AbortSignal): Promise<Deliveries> {
  const question = { headers: of(environment), signal };
  const list = await ask<DeploymentList>(`/api/deployments?limit=${pageSize}`, question);
  const { live: number, newestVariables, deployments, nextBefore } = list;
  const live = deployments.find((deployment) => deployment.number === number);
  return {
    live: number === null ? null : (live ?? (await ask<Deployment>(`/api/deployments/${number}`, question))),
    newestVariables,
    deployments,
    isComplete: nextBefore === null,
  };
}

/** The versions of the project, newest first. */
export function versionsQuery(environment: string) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', environment, 'versions'],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? '' : `&before=${pageParam}`;
      return ask<VersionList>(`/api/versions?limit=50${before}`, { headers: of(environment), signal });
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ nextBefore }) => nextBefore,
  });
}

/** What changes where a version serves in place of another one, by default of the one before; 0 is nothing. Versions never change. */
export function changesQuery(environment: string, version: number, replacing?: number) {
  return queryOptions({
    queryKey: ['changes of versions', environment, version, replacing],
    queryFn: ({ signal }) => {
      const query = replacing === undefined ? '' : `?replacing=${replacing}`;
      return ask<VersionChanges>(`/api/versions/${version}/changes${query}`, { headers: of(environment), signal });
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function isUnfinished({ state }: Pick<Deployment, 'state'>): boolean {
  return state === 'queued' || state === 'checking';
}

/** What happened in a deployment, line by line until it comes to its end. */
export function deploymentLogQuery(environment: string, number: number) {
  const queryKey = ['log of deployment', environment, number];
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<DeploymentLog> => {
      const known = client.getQueryData<DeploymentLog>(queryKey);
      const before = known?.lines ?? [];
      const query = new URLSearchParams({
        after: String(before.at(-1)?.sequence ?? 0),
        waitMs: known ? String(waitMs) : '0',
      });
      const path = `/api/deployments/${number}/log?${query}`;
      const { state, lines } = await ask<DeploymentLog>(path, { headers: of(environment), signal });
      return { state, lines: [...before, ...lines] };
    },
    // The platform does the waiting.
    refetchInterval: ({ state: { data } }) => (data && !isUnfinished(data) ? false : 50),
    refetchOnWindowFocus: false,
  });
}

/** The request of the commands `rollback` and `promote`. The same key never deploys twice. */
export function deploy(environment: string, deployment: CreateDeployment): Promise<Deployment> {
  return ask('/api/deployments', { method: 'POST', headers: of(environment), body: deployment });
}

/** The deployment that served before the live one. */
export async function findEarlier(environment: string, live: number): Promise<Deployment | undefined> {
  for (let before: number | null = live; before !== null; ) {
    const path = `/api/deployments?limit=${pageSize}&before=${before}`;
    const list: DeploymentList = await ask(path, { headers: of(environment) });
    const earlier = list.deployments.find(({ state }) => state === 'replaced');
    if (earlier) return earlier;
    before = list.nextBefore;
  }
  return undefined;
}

export function hostsQuery(environment: string) {
  return queryOptions({
    queryKey: ['deliveries', environment, 'hosts'],
    queryFn: async ({ signal }): Promise<readonly Host[]> =>
      (await ask<HostList>('/api/hosts', { headers: of(environment), signal })).hosts,
    refetchInterval: hostsMs,
  });
}

type HostLine = LogPage['lines'][number];

/** Lines of the log of the hosts, newest first and without a gap. */
export interface HostLog {
  readonly lines: readonly HostLine[];
  /** Where older lines go on; `null` where there are none. */
  readonly nextBefore: number | null;
}

/** The log of the hosts, which grows while it is shown. */
export function hostLogQuery(environment: string) {
  const queryKey = ['log of hosts', environment];
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) => {
      const known = () => client.getQueryData<HostLog>(queryKey);
      return readNewLines(known, (before) => readLines(environment, before, signal));
    },
    refetchInterval: linesMs,
    gcTime: 0,
  });
}

/**
 * Read on until what is known already; all of it is older then.
 *
 * @param known is asked again at the end: older lines may have come meanwhile.
 */
export async function readNewLines(
  known: () => HostLog | undefined,
  read: (before: number | null) => Promise<HostLog>,
): Promise<HostLog> {
  const newest = known()?.lines[0]?.sequence ?? 0;
  let page = await read(null);
  if (newest === 0) return page;
  const found = [...page.lines];
  while (page.nextBefore !== null && page.nextBefore > newest + 1) {
    page = await read(page.nextBefore);
    found.push(...page.lines);
  }
  const { lines, nextBefore } = known() ?? { lines: [], nextBefore: null };
  return { lines: [...found.filter(({ sequence }) => sequence > newest), ...lines], nextBefore };
}

/** A page of the log, older than `before`. */
export function readLines(environment: string, before: number | null, signal?: AbortSignal): Promise<HostLog> {
  const page = before === null ? '' : `&before=${before}`;
  return ask(`/api/logs?limit=500${page}`, { headers: of(environment), ...(signal ? { signal } : {}) });
}

/** The names of the variables of an environment, of the newest revision by default. Nobody reads values. */
export function variablesQuery(environment: string, revision?: number) {
  return queryOptions({
    queryKey: ['deliveries', environment, 'variables', revision],
    queryFn: ({ signal }) => {
      const query = revision === undefined ? '' : `?revision=${revision}`;
      return ask<VariableList>(`/api/variables${query}`, { headers: of(environment), signal });
    },
  });
}

export function changeVariables(environment: string, change: ChangeVariables): Promise<VariableList> {
  return ask('/api/variables', { method: 'PATCH', headers: of(environment), body: change });
}
