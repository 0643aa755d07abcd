import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import {
  countedOnce,
  decideForm,
  decideRun,
  decideTrigger,
  mayRunOnAny,
  needsApproval,
  onlyAsks,
} from './action-rule.ts';
import {
  type Authoriser,
  type CollectionRight,
  everyRight,
  type RightOnRecords,
  type ShownRights,
} from './authoriser.ts';
import { chartText } from './chart-text.ts';
import { decideRead, decideRight, decideSegmentQuery, isEditor, writesQueries } from './collection-rule.ts';
import {
  allow,
  type Decision,
  forbid,
  insist,
  keyOfRoles,
  type NamedPermissions,
  type RoleStanding,
  type Rule,
  type Standing,
  standingOf,
} from './decision.ts';
import { type FieldRules, fieldRulesIn, fieldsHaveChanged } from './field-rules.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';
import { furtherRenderings, renderingsOf, roleScopesOn, rolesGiving, scopeOf, scopeWithin } from './scope-rule.ts';

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
        return insistOn(caller, (standing) => decideRun(standing, caller, counted));
      },
      requireChart: (caller, definition) => insistOn(caller, (standing) => decideChart(standing, caller, definition)),
      chartsOf: async (caller) => {
        const standing = await standingOf(documents.fresh, caller);
        if ('isAllowed' in standing) return [];
        const charts = await listedCharts(standing, caller);
        return [...new Map(charts.map((chart) => [chartText(chart), chart])).values()];
      },
      requireSegmentQuery: (caller, collection, connectionName, query) =>
        insistOn(caller, (standing) => decideSegmentQuery(standing, caller, { collection, connectionName, query })),
      scopeOf: (caller, collection, right) => {
        const known = atHand.scopeOf(caller, collection, right);
        if (known) return known.tree;
        return scopeOf(documents, caller, { collection, right }, (standing) =>
          haveRules(standing, rules) ? sameFields : fieldsHaveChanged(),
        );
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
      namesOf: (claims) => {
        const user = documents.atHand.users()?.get(claims.id);
        // Who is known and has one role or one team has no other any more, whatever the token says.
        const { roles = [claims.role], teams = [claims.team] } = user ? namesOf(user) : claims;
        return { roles, teams };
      },
      // People have no such limits.
      limitsOf: () => undefined,
      forRules: authoriserFor,
      refreshRendering: (renderingId) => documents.refresh(renderingId),
    };
  }

  return authoriserFor(undefined);
}

function namesOf({ heldRoles: roles, heldTeams: teams }: PlatformUser): Partial<Pick<Caller, 'roles' | 'teams'>> {
  return {
    ...(roles ? { roles: roles.map(({ name }) => name) } : {}),
    ...(teams ? { teams: teams.map(({ name }) => name) } : {}),
  };
}

/** There are no rules for somebody that the permissions do not name: nothing is allowed to them anyway. */
function rulesOf(view: PermissionView, caller: Pick<Caller, 'id'>): MaybePromise<FieldRules | undefined> {
  return whenReady(standingOf(view, caller), (standing) =>
    'isAllowed' in standing ? undefined : fieldRulesIn(standing.permissions, standing.user),
  );
}

const sameFields = allow('the rights to fields are the same');

/** Permissions may change while a request is answered. What allows it must not be newer than the fields that it is answered with. */
function underRules(rules: FieldRules | undefined, rule: Rule): Rule {
  return (standing) => (haveRules(standing, rules) ? rule(standing) : fieldsHaveChanged());
}

function haveRules({ permissions, user }: RoleStanding, rules: FieldRules | undefined): boolean {
  return areSame(fieldRulesIn(permissions, user), rules);
}

function areSame(one: FieldRules | undefined, other: FieldRules | undefined): boolean {
  return one === other || one?.key === other?.key;
}

/** Resolves the rights of people. Each set of roles is looked at once in a document. */
function createShownRights(): (permissions: EnvironmentPermissions, user: PlatformUser | undefined) => ShownRights {
  const known = new WeakMap<NamedPermissions, Map<number | string, ShownRights>>();
  return (permissions, user) => {
    if (permissions === true) return everyRight;
    if (!user) return noRight;
    const key = user.heldRoles ? keyOfRoles(user) : user.roleId;
    const ofRoles = known.get(permissions) ?? new Map<number | string, ShownRights>();
    known.set(permissions, ofRoles);
    const rights = ofRoles.get(key) ?? rightsOfRoles({ permissions, user });
    ofRoles.set(key, rights);
    return rights;
  };
}

/** The rights of somebody that the permissions do not name. */
const noRight: ShownRights = {
  has: () => false,
  mayTrigger: () => false,
  needsApproval: () => false,
  alwaysNeedsApproval: () => false,
};

/** The rights of one role, or of several together. */
function rightsOfRoles(standing: RoleStanding): ShownRights {
  return {
    has: (collection, right) => decideRight(standing, collection, right).isAllowed,
    mayTrigger: (collection, action) => decideTrigger(standing, collection, action).isAllowed,
    needsApproval: (collection, action) => needsApproval(standing, collection, action),
    alwaysNeedsApproval: (collection, action) => onlyAsks(standing, collection, action),
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
  scopeOf(caller: Caller, collection: string, right: RightOnRecords): KnownScope | undefined;
}

/** What several renderings show together. */
interface UnitedScope {
  readonly renderings: readonly RenderingPermissions[];
  readonly scope: KnownScope;
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
    scopeOf(caller, collection, right) {
      const permissions = atHand.environment();
      if (permissions === undefined || permissions === true) return permissions && unrestricted;
      const rendering = atHand.rendering(caller.renderingId);
      const rights = rendering && rightsOf(caller, permissions);
      if (!rights) return undefined;
      const further = rights.furtherRenderings(caller.renderingId);
      if (!further) return rights.scopeIn(rendering, collection, right);
      const others = further.map((id) => atHand.rendering(id));
      const all = [rendering, ...others.flatMap((other) => other ?? [])];
      return all.length > others.length ? rights.scopeInAll(all, collection, right) : undefined;
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
  readonly #standing: Standing;
  /** The collections for which a role of the user has a scope. */
  readonly #scoped: ReadonlySet<string>;
  readonly #held = new Set<string>();
  /** Actions by collection. */
  readonly #runs = new Map<string, Set<string>>();
  readonly #scopes = new WeakMap<RenderingPermissions, Map<string, KnownScope>>();
  readonly #united = new Map<string, UnitedScope>();

  constructor(permissions: NamedPermissions, user: PlatformUser, view: PermissionView) {
    this.permissions = permissions;
    this.fieldRules = fieldRulesIn(permissions, user);
    this.#user = user;
    this.#standing = { permissions, user, view };
    const names = Object.keys(permissions.collections);
    this.#scoped = new Set(names.filter((name) => roleScopesOn(this.#standing, name)));
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

  scopeIn(rendering: RenderingPermissions, collection: string, right: RightOnRecords): KnownScope | undefined {
    const scopes = this.#scopesOf(rendering);
    const key = this.#scopeKey(collection, right);
    const known = scopes.get(key);
    if (known) return known;
    const scope = scopeWithin(this.#standing, [rendering], { collection, right });
    if ('denial' in scope) return undefined;
    // A scope with a list could be changed by a handler that gets the list.
    if (!scope.tree || Object.isFrozen(scope.tree)) scopes.set(key, scope);
    return scope;
  }

  /** Rights that the same roles give reach the same records. Without scopes of roles, all rights do. */
  #scopeKey(collection: string, right: RightOnRecords): string {
    if (!this.#scoped.has(collection)) return collection;
    return `${collection}\0${rolesGiving(this.#standing, collection, right).join()}`;
  }

  /** The renderings beside that of the session; `undefined` for somebody who has one team. */
  furtherRenderings(renderingId: number): readonly number[] | undefined {
    return this.#user.heldTeams && furtherRenderings(this.#user, renderingId);
  }

  /** What several renderings show together. */
  scopeInAll(
    renderings: readonly RenderingPermissions[],
    collection: string,
    right: RightOnRecords,
  ): KnownScope | undefined {
    const key = this.#scopeKey(collection, right);
    const known = this.#united.get(key);
    const isSame = known?.renderings.length === renderings.length;
    if (isSame && known.renderings.every((each, index) => each === renderings[index])) return known.scope;
    const scope = scopeWithin(this.#standing, renderings, { collection, right });
    if ('denial' in scope) return undefined;
    if (!scope.tree || Object.isFrozen(scope.tree)) this.#united.set(key, { renderings, scope });
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

/** Whether somebody may see a chart: editors any, others those on the dashboards of their renderings. A query knows no rights to fields. */
async function decideChart(
  { permissions, user, view }: Standing,
  caller: Caller,
  definition: Readonly<Record<string, unknown>>,
): Promise<Decision> {
  const isQuery = definition['query'] !== undefined;
  if (isQuery ? writesQueries({ permissions, user }) : isEditor(user)) {
    return allow(`the level ${user.permissionLevel} sees every chart`);
  }
  const charts = await listedCharts({ user, view }, caller);
  const asked = chartText(definition);
  return charts.some((known) => chartText(known) === asked)
    ? allow('the view of the team has the chart')
    : forbid('the view of the team has no such chart', 'Your view of the project has no such chart.');
}

/** Two renderings may list the same chart, which is here twice then. */
async function listedCharts({ user, view }: Pick<Standing, 'user' | 'view'>, caller: Caller) {
  const renderings = await renderingsOf(view, user, caller);
  return renderings.flatMap((rendering) => rendering.stats);
}
