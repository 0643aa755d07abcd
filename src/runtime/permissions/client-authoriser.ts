import type { AgentTokenClaims } from '#contracts/agent-token';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Caller } from '../customizer/caller.ts';
import type { ActionRun, Authoriser, CollectionRight, RightOnRecords, ShownRights, Subject } from './authoriser.ts';
import { type ClientLimits, type ClientRules, clientRulesIn } from './client-rules.ts';
import { allow, type Decision, forbid } from './decision.ts';
import { bothRules, type FieldRules, fieldsHaveChanged } from './field-rules.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';

type Decide = (rules: ClientRules) => Decision;

/** What the rules of a model were made of. */
interface Origin {
  readonly own: FieldRules | undefined;
  readonly client: FieldRules;
}

const origins = new WeakMap<FieldRules, Origin>();
const shared = new WeakMap<ClientRules, WeakMap<ShownRights, ShownRights>>();

/**
 * The authoriser of people, and of the programs that act for them: a program may do what its person may, and what its own rules allow.
 * For a person who acts alone it asks the authoriser of people and nothing else.
 */
export class ClientAuthoriser implements Authoriser {
  readonly #people: Authoriser;
  readonly #documents: PermissionDocuments;
  /** What the model that answers leaves out because of the program. */
  readonly #fields: FieldRules | undefined;

  constructor(people: Authoriser, documents: PermissionDocuments, fields?: FieldRules) {
    this.#people = people;
    this.#documents = documents;
    this.#fields = fields;
  }

  require(caller: Caller, collection: string, right: CollectionRight): Promise<void> {
    return this.#both(caller, this.#people.require(caller, collection, right), (rules) =>
      rules.has(collection, right) ? allowed : refused(`${right} the collection "${collection}"`),
    );
  }

  requireReadOn(caller: Caller, collections: Iterable<string>): Promise<void> {
    const names = [...collections];
    return this.#both(caller, this.#people.requireReadOn(caller, names), (rules) => {
      const closed = names.find((name) => !rules.has(name, 'read'));
      return closed === undefined ? allowed : refused(`read the collection "${closed}"`);
    });
  }

  requireForm(caller: Caller, collection: string, action: string): Promise<void> {
    return this.#both(caller, this.#people.requireForm(caller, collection, action), mayRun(collection, action));
  }

  requireActionRun(caller: Caller, run: ActionRun): Promise<void> {
    return this.#both(caller, this.#people.requireActionRun(caller, run), mayRun(run.collection, run.action));
  }

  requireChart(caller: Caller, definition: Readonly<Record<string, unknown>>): Promise<void> {
    const asked = this.#people.requireChart(caller, definition);
    return definition['query'] === undefined ? asked : this.#both(caller, asked, mayQuery);
  }

  chartsOf(caller: Caller): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#people.chartsOf(caller);
  }

  requireSegmentQuery(
    caller: Caller,
    collection: string,
    connectionName: string | undefined,
    query: string,
  ): Promise<void> {
    const asked = this.#people.requireSegmentQuery(caller, collection, connectionName, query);
    return this.#both(caller, asked, mayQuery);
  }

  scopeOf(caller: Caller, collection: string, right: RightOnRecords) {
    return this.#people.scopeOf(caller, collection, right);
  }

  async rightsOf(caller: Subject): Promise<ShownRights> {
    const rights = await this.#people.rightsOf(caller);
    const rules = await this.#rulesOf(this.#documents.fresh, caller);
    return rules ? sharedRights(rights, rules) : rights;
  }

  rightsAtHand(caller: Subject): ShownRights | undefined {
    const rights = this.#people.rightsAtHand(caller);
    if (!caller.client || !rights) return rights;
    const permissions = this.#documents.atHand.clients();
    const rules = permissions && clientRulesIn(permissions, caller.client);
    return permissions && (rules ? sharedRights(rights, rules) : rights);
  }

  namesOf(claims: AgentTokenClaims): Pick<Caller, 'roles' | 'teams'> {
    return this.#people.namesOf(claims);
  }

  fieldRulesOf(caller: Subject): MaybePromise<FieldRules | undefined> {
    const ofPerson = this.#people.fieldRulesOf(caller);
    if (!caller.client) return ofPerson;
    const { trusted, fresh } = this.#documents;
    return whenReady(ofPerson, (own) =>
      whenReady(this.#rulesOf(trusted, caller), (known) =>
        known?.fieldRules
          ? whenReady(this.#rulesOf(fresh, caller), (rules) => sharedFields(own, rules?.fieldRules))
          : own,
      ),
    );
  }

  limitsOf(caller: Subject): MaybePromise<ClientLimits | undefined> {
    return whenReady(this.#rulesOf(this.#documents.trusted, caller), (rules) => rules?.limits);
  }

  forRules(rules: FieldRules | undefined): Authoriser {
    const { own, client } = (rules && origins.get(rules)) ?? { own: rules, client: undefined };
    return new ClientAuthoriser(this.#people.forRules(own), this.#documents, client);
  }

  refreshRendering(renderingId: number): void {
    this.#people.refreshRendering(renderingId);
  }

  /** What the person may do, and the program too. */
  #both(caller: Subject, asked: Promise<void>, decide: Decide): Promise<void> {
    if (!caller.client) return asked;
    const atHand = this.#documents.atHand.clients();
    const isAllowed = atHand && this.#judge(clientRulesIn(atHand, caller.client), decide).isAllowed;
    return isAllowed ? asked : asked.then(() => this.#insist(caller, decide));
  }

  /** Throws unless the rules of the program allow it. A denial is decided again, on fresh rules. */
  async #insist(caller: Subject, decide: Decide): Promise<void> {
    const { trusted, fresh } = this.#documents;
    if (this.#judge(await this.#rulesOf(trusted, caller), decide).isAllowed) return;
    const decision = this.#judge(await this.#rulesOf(fresh, caller), decide);
    if (!decision.isAllowed) throw decision.error;
  }

  #judge(rules: ClientRules | undefined, decide: Decide): Decision {
    if (rules?.fieldRules?.key !== this.#fields?.key) return fieldsHaveChanged();
    return rules ? decide(rules) : allowed;
  }

  #rulesOf(view: PermissionView, { client }: Subject): MaybePromise<ClientRules | undefined> {
    return client && whenReady(view.clients(), (permissions) => clientRulesIn(permissions, client));
  }
}

/** What both may see. */
function sharedRights(rights: ShownRights, rules: ClientRules): ShownRights {
  const known = shared.get(rules) ?? new WeakMap<ShownRights, ShownRights>();
  shared.set(rules, known);
  const both = known.get(rights) ?? {
    has: (collection, right) => rights.has(collection, right) && rules.has(collection, right),
    mayTrigger: (collection, action) => rights.mayTrigger(collection, action) && rules.mayRun(collection, action),
    needsApproval: (collection, action) => rights.needsApproval(collection, action),
    alwaysNeedsApproval: (collection, action) => rights.alwaysNeedsApproval(collection, action),
  };
  known.set(rights, both);
  return both;
}

/** The key differs from those of people, so that no state of theirs is taken. */
function sharedFields(own: FieldRules | undefined, client: FieldRules | undefined): FieldRules | undefined {
  if (!client) return own;
  const both = own ? bothRules(own, client) : client;
  const rules: FieldRules = { ...both, key: canonicalJson(['client', own?.key ?? null, client.key]) };
  origins.set(rules, { own, client });
  return rules;
}

const allowed = allow('the rules for the client allow it');

function mayRun(collection: string, action: string): Decide {
  return (rules) =>
    rules.mayRun(collection, action)
      ? allowed
      : refused(`run the action "${action}" of the collection "${collection}"`);
}

/** A query in the language of a database knows no collections. */
function mayQuery(rules: ClientRules): Decision {
  return rules.isKeptToCollections ? refused('send queries in the language of a database') : allowed;
}

function refused(deed: string): Decision {
  return forbid('the rules for the client do not allow it', `This program may not ${deed} for you.`);
}
