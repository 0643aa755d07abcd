import type { ActingClient } from '#contracts/agent-token';
import type { ClientPermissions } from '#contracts/client-permissions';
import type { ClientRights } from '#contracts/client-rights';
import { fieldRightOf } from '#contracts/field-rights';
import type { ToolName } from '#contracts/mcp';
import { type collectionRights, everyOther } from '#contracts/permission-file';
import { ownEntry } from './decision.ts';
import { bothRules, type FieldRule, type FieldRules, rulesForAll } from './field-rules.ts';

/** What a program may use of the agent at most. */
export interface ClientLimits {
  /** `undefined` for every tool. */
  readonly tools: ReadonlySet<ToolName> | undefined;
  /** Records that one call may list, change or name. */
  readonly recordsPerCall: number | undefined;
  readonly writesPerHour: number | undefined;
}

/** What a program may do at most, whatever the person may that it acts for. */
export class ClientRules {
  readonly #rights: readonly ClientRights[];
  readonly limits: ClientLimits | undefined;
  readonly fieldRules: FieldRules | undefined;

  /** @param rights All of them hold. */
  constructor(rights: readonly ClientRights[]) {
    this.#rights = rights;
    this.limits = limitsOf(rights);
    const [first, ...others] = rights.flatMap((each) => fieldRulesOf(each) ?? []);
    this.fieldRules = first && others.reduce(bothRules, first);
  }

  /** Whether it is kept to some collections. */
  get isKeptToCollections(): boolean {
    return this.#rights.some(({ collections }) => collections !== undefined);
  }

  has(collection: string, right: (typeof collectionRights)[number]): boolean {
    return this.#rights.every(({ collections }) => !collections || ownEntry(collections, collection)?.[right] === true);
  }

  mayRun(collection: string, action: string): boolean {
    return this.#rights.every(({ collections }) => {
      const actions = collections && ownEntry(collections, collection)?.actions;
      return !collections || (actions && (ownEntry(actions, action) ?? actions[everyOther])) === true;
    });
  }
}

const known = new WeakMap<ClientPermissions, Map<string, ClientRules | undefined>>();

/** The rules for a program; `undefined` where it may do all that its person may. Each program of a document is looked at once. */
export function clientRulesIn(permissions: ClientPermissions, client: ActingClient): ClientRules | undefined {
  const ofClients = known.get(permissions) ?? new Map<string, ClientRules | undefined>();
  known.set(permissions, ofClients);
  const key = `${client.grant} ${client.id}`;
  if (!ofClients.has(key)) ofClients.set(key, readRules(permissions, client));
  return ofClients.get(key);
}

/** Rights that name clients and not this one, and no others, leave it nothing. */
const nothing: ClientRights = { collections: {}, tools: [] };

function readRules({ clients, grants }: ClientPermissions, client: ActingClient): ClientRules | undefined {
  const grant = grants.find(({ id }) => id === client.grant);
  const named =
    clients && (ownEntry(clients, grant?.countsAs ?? client.id) ?? ownEntry(clients, everyOther) ?? nothing);
  const rights = [named, grant?.rights].filter((each) => each !== null && each !== undefined);
  return rights.length > 0 ? new ClientRules(rights) : undefined;
}

function limitsOf(rights: readonly ClientRights[]): ClientLimits | undefined {
  const tools = rights.flatMap(({ tools: named }) => (named ? [new Set(named)] : []));
  const [first, ...others] = tools;
  const limits = {
    tools: first && new Set([...first].filter((tool) => others.every((other) => other.has(tool)))),
    recordsPerCall: least(rights.map(({ recordsPerCall }) => recordsPerCall)),
    writesPerHour: least(rights.map(({ writesPerHour }) => writesPerHour)),
  };
  return Object.values(limits).some((limit) => limit !== undefined) ? limits : undefined;
}

function least(numbers: readonly (number | undefined)[]): number | undefined {
  const given = numbers.filter((number) => number !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}

function fieldRulesOf({ collections = {} }: ClientRights): FieldRules | undefined {
  const found = Object.entries(collections).flatMap(([name, { fields = {} }]) => {
    const rules = Object.entries(fields).map(([field, rule]): [string, FieldRule] => [field, fieldRightOf(rule)]);
    return rules.length > 0 ? [[name, new Map(rules)] as const] : [];
  });
  return rulesForAll(new Map(found));
}
