import { type ClientPermissions, clientPermissionsSchema } from '#contracts/client-permissions';
import {
  type EnvironmentPermissions,
  environmentPermissionsSchema,
  type Numbered,
  type PlatformUser,
  type RenderingPermissions,
  renderingPermissionsSchema,
  usersSchema,
} from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { Clock } from '#kernel/ports/clock';
import { type CachedDocument, createCachedDocument, type StandIn } from './cached-document.ts';

/** How old a document may be when it allows what the caller asks for. */
const defaultTrustedAgeMs = 15 * 60_000;
/** How old a document may be when it denies: a right that somebody has just granted works after this time. */
const denialAgeMs = 5_000;
const renderingPrefix = 'rendering ';

/** The permission documents, none of them older than a certain age. */
export interface PermissionView {
  environment(): MaybePromise<EnvironmentPermissions>;
  /** By id. */
  users(): MaybePromise<ReadonlyMap<number, PlatformUser>>;
  rendering(id: number): MaybePromise<RenderingPermissions>;
  /** What programs may do. */
  clients(): MaybePromise<ClientPermissions>;
}

/** Documents that were fetched already; `undefined` for others. */
interface DocumentsAtHand {
  environment(): EnvironmentPermissions | undefined;
  users(): ReadonlyMap<number, PlatformUser> | undefined;
  rendering(id: number): RenderingPermissions | undefined;
  clients(): ClientPermissions | undefined;
}

/** The part of the permissions that has changed. */
export type PermissionChange =
  | 'everything'
  | 'environment'
  | 'users'
  | { readonly renderings: readonly number[] | 'all' };

/** The permission documents of the environment, each fetched when it is first needed. */
export interface PermissionDocuments {
  /** Fresh enough to allow what a caller asks for. */
  readonly trusted: PermissionView;
  /** The same documents where they are at hand. Nothing is fetched. */
  readonly atHand: DocumentsAtHand;
  /** Fresh enough to deny it. */
  readonly fresh: PermissionView;
  /**
   * Fetch the changed documents again before they are used. Their last known versions are not used either, except after
   * 'everything': then nobody knows whether anything has changed.
   */
  forget(change: PermissionChange): void;
  /** Fetch a rendering again before it is used; while the platform is away its last known version still counts. */
  refresh(renderingId: number): void;
  /** While the platform announces changes, a document counts whatever its age. */
  setAnnounced(isAnnounced: boolean): void;
}

export interface PermissionDocumentsOptions {
  readonly trustedAgeMs?: number;
  /** The permissions to use while the platform is away. Default: none. */
  readonly standIn?: StandIn;
}

export function createPermissionDocuments(
  source: PermissionSource,
  clock: Clock,
  { trustedAgeMs = defaultTrustedAgeMs, standIn }: PermissionDocumentsOptions = {},
): PermissionDocuments {
  const environment = createCachedDocument(
    {
      name: 'environment',
      ask: () => source.environmentPermissions(),
      schema: environmentPermissionsSchema,
      shape: same,
    },
    clock,
    standIn,
  );
  const users = createCachedDocument(
    { name: 'users', ask: () => source.users(), schema: usersSchema, shape: (document) => usersOver(document, clock) },
    clock,
    standIn,
  );
  const clients = createCachedDocument(
    { name: 'clients', ask: () => source.clientPermissions(), schema: clientPermissionsSchema, shape: same },
    clock,
    standIn,
  );
  const renderings = new Map<number, CachedDocument<RenderingPermissions>>();
  const rendering = (id: number) => {
    const known = renderings.get(id);
    if (known) return known;
    const created = createCachedDocument(
      {
        name: `${renderingPrefix}${id}`,
        ask: () => source.renderingPermissions(id),
        schema: renderingPermissionsSchema,
        shape: same,
      },
      clock,
      standIn,
    );
    renderings.set(id, created);
    return created;
  };
  const view = (maxAgeMs: () => number): PermissionView => ({
    environment: () => environment.get(maxAgeMs()),
    users: () => whenReady(users.get(maxAgeMs()), (known) => known.now()),
    rendering: (id) => rendering(id).get(maxAgeMs()),
    clients: () => clients.get(maxAgeMs()),
  });
  let isAnnounced = false;
  const trustedAge = () => (isAnnounced ? Number.POSITIVE_INFINITY : trustedAgeMs);
  return {
    trusted: view(trustedAge),
    atHand: {
      environment: () => environment.atHand(trustedAge())?.value,
      users: () => users.atHand(trustedAge())?.value.now(),
      rendering: (id) => renderings.get(id)?.atHand(trustedAge())?.value,
      clients: () => clients.atHand(trustedAge())?.value,
    },
    fresh: view(() => denialAgeMs),
    forget: (change) => {
      if (change === 'everything')
        for (const document of [environment, users, clients, ...renderings.values()]) document.forget();
      else if (change === 'environment') {
        environment.drop();
        clients.drop();
      } else if (change === 'users') users.drop();
      else if (change.renderings === 'all') {
        for (const document of renderings.values()) document.drop();
        // An earlier run may have kept others that nobody has asked for yet.
        standIn?.lastKnown.dropAll(renderingPrefix);
      } else for (const id of change.renderings) rendering(id).drop();
    },
    refresh: (id) => renderings.get(id)?.forget(),
    setAnnounced: (value) => {
      isAnnounced = value;
    },
  };
}

const same = <Document>(document: Document) => document;
/** The users of a document. What somebody has for a time ends when it is over, whatever the platform does meanwhile. */
interface TimedUsers {
  /** By id. */
  now(): ReadonlyMap<number, PlatformUser>;
}

function usersOver(document: readonly PlatformUser[], clock: Clock): TimedUsers {
  const all = byId(document);
  const ends = document.flatMap((user) => [...(user.heldRoles ?? []), ...(user.heldTeams ?? [])].flatMap(endOf));
  if (ends.length === 0) return { now: () => all };
  const sorted = ends.toSorted((one, other) => one - other);
  let users = all;
  let next: number | undefined = sorted[0];
  return {
    now: () => {
      const nowMs = clock.now();
      if (next === undefined || nowMs < next) return users;
      users = byId([...users.values()].map((user) => withoutEnded(user, nowMs)));
      next = sorted.find((end) => end > nowMs);
      return users;
    },
  };
}

function endOf({ endsAt }: Numbered): readonly number[] {
  return endsAt === undefined ? [] : [Date.parse(endsAt)];
}

/** The same object for somebody without an ended right. */
function withoutEnded(user: PlatformUser, nowMs: number): PlatformUser {
  const isLive = (held: Numbered) => endOf(held).every((end) => end > nowMs);
  const { heldRoles: roles, heldTeams: teams } = user;
  if (roles?.every(isLive) !== false && teams?.every(isLive) !== false) return user;
  return { ...user, heldRoles: roles?.filter(isLive), heldTeams: teams?.filter(isLive) };
}

function byId(users: readonly PlatformUser[]): ReadonlyMap<number, PlatformUser> {
  return new Map(users.map((user) => [user.id, Object.freeze(user)] as const));
}

/** The source of permissions: the platform. */
export interface PermissionSource {
  environmentPermissions(): Promise<EnvironmentPermissions>;
  users(): Promise<PlatformUser[]>;
  renderingPermissions(renderingId: number): Promise<RenderingPermissions>;
  clientPermissions(): Promise<ClientPermissions>;
}
