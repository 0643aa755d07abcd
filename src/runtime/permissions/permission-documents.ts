import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import type { Clock } from '#kernel/ports/clock';
import { type CachedFetch, createCachedFetch } from './cached-fetch.ts';
import type { PermissionSource } from './permission-source.ts';

/** How long a document is believed when it allows what is asked. */
export const trustedAgeMs = 15 * 60_000;
/** How old a document may be for a denial to stand: a right that was just granted works within so long. */
export const denialAgeMs = 5_000;

/** The permission documents of the environment, each fetched when it is first needed. */
export interface PermissionDocuments {
  environment(maxAgeMs: number): Promise<EnvironmentPermissions>;
  user(id: number, maxAgeMs: number): Promise<PlatformUser | undefined>;
  rendering(id: number, maxAgeMs: number): Promise<RenderingPermissions>;
}

export function createPermissionDocuments(source: PermissionSource, clock: Clock): PermissionDocuments {
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
  return {
    environment: (maxAgeMs) => environment.get(maxAgeMs),
    user: async (id, maxAgeMs) => (await users.get(maxAgeMs)).get(id),
    rendering: (id, maxAgeMs) => renderingFetch(id).get(maxAgeMs),
  };
}
