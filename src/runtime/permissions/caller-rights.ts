import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { CollectionRight } from './authoriser.ts';
import { decideRight } from './collection-rule.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { scopeFor } from './scope-rule.ts';

type NamedPermissions = Exclude<EnvironmentPermissions, true>;

/** The restriction of a caller on a collection: a condition, or none. */
export interface KnownScope {
  readonly tree: ConditionTree | undefined;
}

/**
 * The rights of one user in the documents at hand. Requests ask for the same few rights again and again, so the answers are
 * kept as long as the documents are. Only what is allowed is known here: a denial is decided on fresh documents.
 */
class CallerRights {
  readonly permissions: NamedPermissions;
  readonly #user: PlatformUser;
  readonly #view: PermissionView;
  readonly #held = new Set<string>();
  readonly #scopes = new WeakMap<RenderingPermissions, Map<string, KnownScope>>();

  constructor(permissions: NamedPermissions, user: PlatformUser, view: PermissionView) {
    this.permissions = permissions;
    this.#user = user;
    this.#view = view;
  }

  holds(collection: string, right: CollectionRight): boolean {
    const key = `${right} ${collection}`;
    if (this.#held.has(key)) return true;
    const standing = { permissions: this.permissions, user: this.#user, view: this.#view };
    const { isAllowed } = decideRight(standing, collection, right);
    if (isAllowed) this.#held.add(key);
    return isAllowed;
  }

  scopeIn(rendering: RenderingPermissions, collection: string): KnownScope | undefined {
    const scopes = this.#scopesOf(rendering);
    const known = scopes.get(collection);
    if (known) return known;
    const scope = scopeFor(this.#user, rendering, collection);
    if ('denial' in scope) return undefined;
    // A scope with a list could be changed by a handler that gets the list.
    if (!scope.tree || Object.isFrozen(scope.tree)) scopes.set(collection, scope);
    return scope;
  }

  #scopesOf(rendering: RenderingPermissions): Map<string, KnownScope> {
    const known = this.#scopes.get(rendering);
    if (known) return known;
    const scopes = new Map<string, KnownScope>();
    this.#scopes.set(rendering, scopes);
    return scopes;
  }
}

/** Looks up what the documents at hand allow, without waiting for the platform. */
export interface RightsAtHand {
  /** Whether the caller is known to have the right. */
  holds(caller: Caller, collection: string, right: CollectionRight): boolean;
  /** `undefined` where the scope is not known, or where there is no way to see anything. */
  scopeOf(caller: Caller, collection: string): KnownScope | undefined;
}

const unrestricted: KnownScope = { tree: undefined };

export function createRightsAtHand({ atHand, trusted }: PermissionDocuments): RightsAtHand {
  const known = new WeakMap<PlatformUser, CallerRights>();

  function rightsOf({ id }: Caller, permissions: NamedPermissions): CallerRights | undefined {
    const user = atHand.users()?.get(id);
    if (!user) return undefined;
    const rights = known.get(user);
    if (rights?.permissions === permissions) return rights;
    const created = new CallerRights(permissions, user, trusted);
    known.set(user, created);
    return created;
  }

  return {
    holds(caller, collection, right) {
      const permissions = atHand.environment();
      if (permissions === undefined || permissions === true) return permissions === true;
      return rightsOf(caller, permissions)?.holds(collection, right) ?? false;
    },
    scopeOf(caller, collection) {
      const permissions = atHand.environment();
      if (permissions === undefined || permissions === true) return permissions && unrestricted;
      const rendering = atHand.rendering(caller.renderingId);
      return rendering && rightsOf(caller, permissions)?.scopeIn(rendering, collection);
    },
  };
}
