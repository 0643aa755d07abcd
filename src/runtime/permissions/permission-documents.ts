import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import type { Clock } from '#kernel/ports/clock';
import { type CachedFetch, createCachedFetch } from './cached-fetch.ts';
import type { PermissionSource } from './permission-source.ts';

/** How long a document is believed when it allows what is asked, unless told otherwise. */
const defaultTrustedAgeMs = 15 * 60_000;
/** How old a document may be for a denial to stand: a right that was just granted works within so long. */
const denialAgeMs = 5_000;

/** The permission documents, none older than a certain age. */
export interface PermissionView {
  environment(): Promise<EnvironmentPermissions>;
  /** By id. */
  users(): Promise<ReadonlyMap<number, PlatformUser>>;
  rendering(id: number): Promise<RenderingPermissions>;
}

/** What of the permissions has changed. */
export type PermissionChange = 'everything' | 'environment' | 'users' | { readonly renderings: readonly number[] };

/** The permission documents of the environment, each fetched when it is first needed. */
export interface PermissionDocuments {
  /** As they may be when they allow what is asked. */
  readonly trusted: PermissionView;
  /** As they must be for a denial to stand. */
  readonly fresh: PermissionView;
  /** Fetch anew what has changed before it is used again. */
  forget(change: PermissionChange): void;
  /** While changes are announced a document is believed whatever its age. */
  setAnnounced(isAnnounced: boolean): void;
}

export function createPermissionDocuments(
  source: PermissionSource,
  clock: Clock,
  trustedAgeMs: number = defaultTrustedAgeMs,
): PermissionDocuments {
  const environment = createCachedFetch(() => source.environmentPermissions(), clock);
  const users = createCachedFetch(
    async () => new Map((await source.users()).map((user) => [user.id, user] as const)),
    clock,
  );
  const renderings = new Map<number, CachedFetch<RenderingPermissions>>();
  const renderingFetch = (id: number) => {
    const known = renderings.get(id);
    if (known) return known;
    const fetch = createCachedFetch(() => source.renderingPermissions(id), clock);
    renderings.set(id, fetch);
    return fetch;
  };
  const view = (maxAgeMs: () => number): PermissionView => ({
    environment: () => environment.get(maxAgeMs()),
    users: () => users.get(maxAgeMs()),
    rendering: (id) => renderingFetch(id).get(maxAgeMs()),
  });
  const forgetting = (change: PermissionChange): readonly (CachedFetch<unknown> | undefined)[] => {
    if (change === 'environment') return [environment];
    if (change === 'users') return [users];
    if (change === 'everything') return [environment, users, ...renderings.values()];
    return change.renderings.map((id) => renderings.get(id));
  };
  let isAnnounced = false;
  return {
    trusted: view(() => (isAnnounced ? Number.POSITIVE_INFINITY : trustedAgeMs)),
    fresh: view(() => denialAgeMs),
    forget: (change) => {
      for (const fetch of forgetting(change)) fetch?.forget();
    },
    setAnnounced: (value) => {
      isAnnounced = value;
    },
  };
}
