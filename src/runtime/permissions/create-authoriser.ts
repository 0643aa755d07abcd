import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { actionRights, countedOnce, decideForm, decideRun, decideTrigger, mayRunOnAny } from './action-rule.ts';
import { type Authoriser, type CollectionRight, everyRight, type ShownRights } from './authoriser.ts';
import { chartText } from './chart-text.ts';
import { decideRead, decideRight, decideSegmentQuery, isEditor, writesQueries } from './collection-rule.ts';
import {
  allow,
  type Decision,
  forbid,
  holding,
  insist,
  type NamedPermissions,
  type RoleStanding,
  type Rule,
  type Standing,
  standingOf,
} from './decision.ts';
import { type FieldRules, fieldRulesIn, fieldsHaveChanged } from './field-rules.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { scopeFor, scopeOf } from './scope-rule.ts';

const isAllowed = Promise.resolve();

/**
 * An authoriser that decides by the platform's permissions. Before it denies, it fetches documents again that are older than
 * a few seconds. A development environment allows everything.
 */
export function createAuthoriser(documents: PermissionDocuments): Authoriser {
  const shownRights = createShownRights();

  function authoriserFor(rules: FieldRules | undefined): Authoriser {
    const atHand = createRightsAtHand(documents, rules);
    const insistOn = (caller: Caller, rule: Rule) => insist(documents, caller, underRules(rules, rule));
    return {
      require: (caller, collection, right) =>
        atHand.holds(caller, collection, right)
          ? isAllowed
          : insistOn(caller, (standing) => decideRight(standing, collection, right)),
      requireReadOn: (caller, collections) => {
        const names = [...collections];
        if (names.every((name) => atHand.holds(caller, name, 'read'))) return isAllowed;
        return insistOn(caller, (standing) => decideRead(standing, names));
      },
      requireForm: (caller, collection, action) =>
        insistOn(caller, (standing) => decideForm(standing, collection, action)),
      requireActionRun: (caller, run) => {
        if (run.requesterId === undefined && atHand.runsOnAny(caller, run.collection, run.action)) return isAllowed;
        const counted = countedOnce(run);
        return insistOn(caller, (standing) => decideRun(standing, counted));
      },
      requireChart: (caller, definition) => insistOn(caller, (standing) => decideChart(standing, caller, definition)),
      requireSegmentQuery: (caller, collection, connectionName, query) =>
        insistOn(caller, (standing) => decideSegmentQuery(standing, caller, { collection, connectionName, query })),
      scopeOf: (caller, collection) => {
        const known = atHand.scopeOf(caller, collection);
        return known ? known.tree : scopeOf(documents, caller, collection);
      },
      rightsOf: async ({ id }) => {
        const permissions = await documents.fresh.environment();
        const user = permissions === true ? undefined : (await documents.fresh.users()).get(id);
        if (permissions !== true && user && !haveRules({ permissions, user }, rules)) throw fieldsHaveChanged().error;
        return shownRights(permissions, user);
      },
      rightsAtHand: ({ id }) => {
        const { environment, users } = documents.atHand;
        const permissions = environment();
        if (permissions === undefined || permissions === true) return permissions && everyRight;
        const known = users();
        return known && shownRights(permissions, known.get(id));
      },
      fieldRulesOf: (caller) => {
        if (atHand.isUnrestricted(caller)) return undefined;
        return whenReady(rulesOf(documents.trusted, caller), (known) => known && rulesOf(documents.fresh, caller));
      },
      // People have no such limits.
      limitsOf: () => undefined,
      forRules: authoriserFor,
      refreshRendering: (renderingId) => documents.refresh(renderingId),
    };
  }

  return authoriserFor(undefined);
}

/** There are no rules for somebody whom the permissions do not name: nothing is allowed to them anyway. */
function rulesOf(view: PermissionView, caller: Pick<Caller, 'id'>): MaybePromise<FieldRules | undefined> {
  return whenReady(standingOf(view, caller), (standing) =>
    'isAllowed' in standing ? undefined : fieldRulesIn(standing.permissions, standing.user.roleId),
  );
}

/** Permissions may change while a request is answered. What allows it must not be newer than the fields that it is answered with. */
function underRules(rules: FieldRules | undefined, rule: Rule): Rule {
  return (standing) => (haveRules(standing, rules) ? rule(standing) : fieldsHaveChanged());
}

function haveRules({ permissions, user }: RoleStanding, rules: FieldRules | undefined): boolean {
  return areSame(fieldRulesIn(permissions, user.roleId), rules);
}

function areSame(one: FieldRules | undefined, other: FieldRules | undefined): boolean {
  return one === other || one?.key === other?.key;
}

/** Resolves the rights of people. Each role of a document is looked at once. */
function createShownRights(): (permissions: EnvironmentPermissions, user: PlatformUser | undefined) => ShownRights {
  const known = new WeakMap<NamedPermissions, Map<number, ShownRights>>();
  return (permissions, user) => {
    if (permissions === true) return everyRight;
    if (!user) return noRight;
    const ofRoles = known.get(permissions) ?? new Map<number, ShownRights>();
    known.set(permissions, ofRoles);
    const rights = ofRoles.get(user.roleId) ?? rightsOfRole({ permissions, user });
    ofRoles.set(user.roleId, rights);
    return rights;
  };
}

/** The rights of somebody whom the permissions do not name. */
const noRight: ShownRights = {
  has: () => false,
  mayTrigger: () => false,
  needsApproval: () => false,
};

/** The rights of a role. */
function rightsOfRole(standing: RoleStanding): ShownRights {
  return {
    has: (collection, right) => decideRight(standing, collection, right).isAllowed,
    mayTrigger: (collection, action) => decideTrigger(standing, collection, action).isAllowed,
    needsApproval: (collection, action) => {
      const rights = actionRights(standing, collection, action);
      return rights !== undefined && holding(rights.approvalRequired, standing.user.roleId).holds;
    },
  };
}

/** The restriction of a caller on a collection: a condition, or none. */
interface KnownScope {
  readonly tree: ConditionTree | undefined;
}

/** Looks up what the documents at hand allow, without waiting for the platform. */
interface RightsAtHand {
  /** Whether the caller is known to have the right. */
  holds(caller: Caller, collection: string, right: CollectionRight): boolean;
  /** Whether the caller is known to be allowed to run the action on their own, whatever the records are. */
  runsOnAny(caller: Caller, collection: string, action: string): boolean;
  /** Whether the caller is known to be restricted on no field. */
  isUnrestricted(caller: Pick<Caller, 'id'>): boolean;
  /** `undefined` where the scope is not known, or where there is no way to see anything. */
  scopeOf(caller: Caller, collection: string): KnownScope | undefined;
}

const unrestricted: KnownScope = { tree: undefined };

function createRightsAtHand({ atHand, trusted }: PermissionDocuments, rules: FieldRules | undefined): RightsAtHand {
  const known = new WeakMap<PlatformUser, CallerRights>();

  function knownRights({ id }: Pick<Caller, 'id'>, permissions: NamedPermissions): CallerRights | undefined {
    const user = atHand.users()?.get(id);
    if (!user) return undefined;
    const rights = known.get(user);
    if (rights?.permissions === permissions) return rights;
    const created = new CallerRights(permissions, user, trusted);
    known.set(user, created);
    return created;
  }

  function rightsOf(caller: Caller, permissions: NamedPermissions): CallerRights | undefined {
    const rights = knownRights(caller, permissions);
    return rights && areSame(rights.fieldRules, rules) ? rights : undefined;
  }

  function allows(caller: Caller, ask: (rights: CallerRights) => boolean): boolean {
    const permissions = atHand.environment();
    if (permissions === undefined || permissions === true) return permissions === true;
    const rights = rightsOf(caller, permissions);
    return rights !== undefined && ask(rights);
  }

  return {
    holds: (caller, collection, right) => allows(caller, (rights) => rights.holds(collection, right)),
    runsOnAny: (caller, collection, action) => allows(caller, (rights) => rights.runsOnAny(collection, action)),
    isUnrestricted(caller) {
      const permissions = atHand.environment();
      if (permissions === undefined || permissions === true) return permissions === true;
      const rights = knownRights(caller, permissions);
      return rights !== undefined && rights.fieldRules === undefined;
    },
    scopeOf(caller, collection) {
      const permissions = atHand.environment();
      if (permissions === undefined || permissions === true) return permissions && unrestricted;
      const rendering = atHand.rendering(caller.renderingId);
      return rendering && rightsOf(caller, permissions)?.scopeIn(rendering, collection);
    },
  };
}

/**
 * The rights of one user in the documents at hand. Requests ask for the same few rights again and again, so the answers are
 * kept as long as the documents are. Only what is allowed is known here: a denial is decided on fresh documents.
 */
class CallerRights {
  readonly permissions: NamedPermissions;
  readonly fieldRules: FieldRules | undefined;
  readonly #user: PlatformUser;
  readonly #view: PermissionView;
  readonly #held = new Set<string>();
  /** Actions by collection. */
  readonly #runs = new Map<string, Set<string>>();
  readonly #scopes = new WeakMap<RenderingPermissions, Map<string, KnownScope>>();

  constructor(permissions: NamedPermissions, user: PlatformUser, view: PermissionView) {
    this.permissions = permissions;
    this.fieldRules = fieldRulesIn(permissions, user.roleId);
    this.#user = user;
    this.#view = view;
  }

  holds(collection: string, right: CollectionRight): boolean {
    const key = `${right} ${collection}`;
    if (this.#held.has(key)) return true;
    const { isAllowed } = decideRight(this.#standing, collection, right);
    if (isAllowed) this.#held.add(key);
    return isAllowed;
  }

  runsOnAny(collection: string, action: string): boolean {
    const known = this.#runs.get(collection) ?? new Set();
    if (known.has(action)) return true;
    if (!mayRunOnAny(this.#standing, collection, action)) return false;
    this.#runs.set(collection, known.add(action));
    return true;
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

  get #standing(): Standing {
    return { permissions: this.permissions, user: this.#user, view: this.#view };
  }

  #scopesOf(rendering: RenderingPermissions): Map<string, KnownScope> {
    const known = this.#scopes.get(rendering);
    if (known) return known;
    const scopes = new Map<string, KnownScope>();
    this.#scopes.set(rendering, scopes);
    return scopes;
  }
}

/** Whether somebody may see a chart: editors any, others those on the dashboards of their rendering. A query knows no rights to fields. */
async function decideChart(
  { permissions, user, view }: Standing,
  { renderingId }: Caller,
  definition: Readonly<Record<string, unknown>>,
): Promise<Decision> {
  const isQuery = definition['query'] !== undefined;
  if (isQuery ? writesQueries({ permissions, user }) : isEditor(user)) {
    return allow(`the level ${user.permissionLevel} sees every chart`);
  }
  const { stats } = await view.rendering(renderingId);
  const asked = chartText(definition);
  return stats.some((known) => chartText(known) === asked)
    ? allow('the rendering has the chart')
    : forbid('the rendering has no such chart', 'Your view of the project has no such chart.');
}
