import type { z } from 'zod';
import {
  type EnvironmentPermissions,
  environmentPermissionsSchema,
  type PlatformUser,
  type RenderingPermissions,
  renderingPermissionsSchema,
  usersSchema,
} from '#contracts/permissions';
import type { AtHand } from '#kernel/async/at-hand';
import type { Clock } from '#kernel/ports/clock';
import { type CachedFetch, createCachedFetch } from './cached-fetch.ts';
import { enduringFetch, rememberedFetch, type StandIn } from './enduring-fetch.ts';
import type { PermissionSource } from './permission-source.ts';

/** How long a document is believed when it allows what is asked, unless told otherwise. */
const defaultTrustedAgeMs = 15 * 60_000;
/** How old a document may be for a denial to stand: a right that was just granted works within so long. */
const denialAgeMs = 5_000;
const renderingPrefix = 'rendering ';

/** The permission documents, none older than a certain age. */
export interface PermissionView {
  environment(): AtHand<EnvironmentPermissions>;
  /** By id. */
  users(): AtHand<ReadonlyMap<number, PlatformUser>>;
  rendering(id: number): AtHand<RenderingPermissions>;
}

/** What of the permissions has changed. */
export type PermissionChange =
  | 'everything'
  | 'environment'
  | 'users'
  | { readonly renderings: readonly number[] | 'all' };

/** The permission documents of the environment, each fetched when it is first needed. */
export interface PermissionDocuments {
  /** As they may be when they allow what is asked. */
  readonly trusted: PermissionView;
  /** As they must be for a denial to stand. */
  readonly fresh: PermissionView;
  /** Fetch anew what has changed before it is used again. What is known to have changed is not gone by in an outage either. */
  forget(change: PermissionChange): void;
  /** Look a rendering up again before it is used; in an outage what was known of it still counts. */
  refresh(renderingId: number): void;
  /** While changes are announced a document is believed whatever its age. */
  setAnnounced(isAnnounced: boolean): void;
}

export interface PermissionDocumentsOptions {
  readonly trustedAgeMs?: number;
  /** What is gone by while the platform is away; nothing where it is absent. */
  readonly standIn?: StandIn;
}

export function createPermissionDocuments(
  source: PermissionSource,
  clock: Clock,
  { trustedAgeMs = defaultTrustedAgeMs, standIn }: PermissionDocumentsOptions = {},
): PermissionDocuments {
  const documentOf = documentFetcher(clock, standIn);
  const environment = documentOf(
    'environment',
    () => source.environmentPermissions(),
    environmentPermissionsSchema,
    (document) => document,
  );
  const users = documentOf('users', () => source.users(), usersSchema, byId);
  const renderings = new Map<number, KeptDocument<RenderingPermissions>>();
  const rendering = (id: number) => {
    const known = renderings.get(id);
    if (known) return known;
    const ask = () => source.renderingPermissions(id);
    const fetch = documentOf(`${renderingPrefix}${id}`, ask, renderingPermissionsSchema, (document) => document);
    renderings.set(id, fetch);
    return fetch;
  };
  const view = (maxAgeMs: () => number): PermissionView => ({
    environment: () => environment.get(maxAgeMs()),
    users: () => users.get(maxAgeMs()),
    rendering: (id) => rendering(id).get(maxAgeMs()),
  });
  let isAnnounced = false;
  return {
    trusted: view(() => (isAnnounced ? Number.POSITIVE_INFINITY : trustedAgeMs)),
    fresh: view(() => denialAgeMs),
    forget: (change) => {
      if (change === 'everything')
        for (const document of [environment, users, ...renderings.values()]) document.forget();
      else if (change === 'environment') environment.drop();
      else if (change === 'users') users.drop();
      else if (change.renderings === 'all') {
        for (const document of renderings.values()) document.drop();
        // Those that nobody has asked for yet are known from an earlier run.
        standIn?.lastKnown.dropAll(renderingPrefix);
      } else for (const id of change.renderings) rendering(id).drop();
    },
    refresh: (id) => renderings.get(id)?.forget(),
    setAnnounced: (value) => {
      isAnnounced = value;
    },
  };
}

interface KeptDocument<Value> extends CachedFetch<Value> {
  /** Forget it for good: it is known to be out of date. */
  drop(): void;
}

/** Documents of the platform that are kept, and gone by while it is away. `shape` is called for each that is read. */
export function documentFetcher(clock: Clock, standIn: StandIn | undefined) {
  return <Schema extends z.ZodType, Value>(
    name: string,
    ask: () => Promise<z.output<Schema>>,
    schema: Schema,
    shape: (document: z.output<Schema>) => Value,
  ): KeptDocument<Value> => {
    const asked = standIn ? rememberedFetch(name, ask, standIn) : ask;
    const cached = createCachedFetch(async (isCurrent) => shape(await asked(isCurrent)), clock);
    if (!standIn) return { ...cached, drop: cached.forget };
    const { lastKnown, outage } = standIn;
    const find = async () => {
      const document = await lastKnown.find(name, schema);
      return document === undefined ? undefined : shape(document);
    };
    const drop = () => {
      cached.forget();
      lastKnown.drop(name);
    };
    return { ...enduringFetch(cached, find, outage), drop };
  };
}

function byId(users: readonly PlatformUser[]): ReadonlyMap<number, PlatformUser> {
  return new Map(users.map((user) => [user.id, Object.freeze(user)] as const));
}
