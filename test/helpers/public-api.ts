import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type ApiTokenWithSecret, apiScopes } from '#contracts/api-tokens';
import { redactingLogger } from '#kernel/ports/logger';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import { createGuards, resolveKnownEnvironment } from '#platform/access/guards';
import type { ApiTokenKind } from '#platform/api-tokens/api-token-secret';
import { authorOf } from '#platform/audit/admin-log';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createPeopleRepository, type PersonChange } from '#platform/people/people-repository';
import type { PublicApi } from '#platform/public-api/public-api';
import { registerPublicApi } from '#platform/register-public-api';
import { createRightsRepository } from '#platform/rights/rights-repository';
import { createServer } from '#platform/server/create-server';
import { openStore, type StoreAddress } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { createTokenRepository } from '#platform/tokens/token-repository';
import { createTokenService } from '#platform/tokens/token-service';
import { adminLog, provisionIn } from './admin-log.ts';
import { createManualTime } from './manual-time.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface PublicApiOptions {
  readonly project?: string;
  readonly kind?: ApiTokenKind;
  readonly ratePolicies?: readonly RatePolicy[];
  /** Another process on the same store. */
  readonly store?: StoreAddress;
  readonly addRoutes?: (api: PublicApi) => void;
}

/** The path of the route that `startPublicApi` adds for a scope. */
export function pathOf(scope: string, project = 'shop', environment = 'development'): string {
  const place = `/v1/project/${encodeURIComponent(project)}`;
  return `${place}/environment/${encodeURIComponent(environment)}/${scope.replace(':', '-')}`;
}

/**
 * The server of a platform with the front door of `/v1`, one GET and one POST route for each scope, and a clock that a test moves. Ada
 * is the administrator of the project.
 */
export async function startPublicApi(options: PublicApiOptions = {}) {
  const { project = 'shop', kind = 'live', ratePolicies } = options;
  const time = createManualTime();
  const lines: string[] = [];
  const logger = redactingLogger({ log: (...line) => void lines.push(JSON.stringify(line)) });
  const store = counted(
    await openStore(options.store ?? { dialect: 'sqlite', storage: path.join(await temporaryFolder(), 'p.sqlite') }),
  );
  const identity = createIdentityRepository(store);
  const tokens = createTokenService(
    createTokenRepository(store, time.clock, adminLog),
    time.clock,
    systemRandom,
    async () => false,
  );
  const addresses = { listenHost: '127.0.0.1', publicOrigin: undefined };
  // Everybody on this machine is a proxy, so that a test sends requests from any address.
  const server = await createServer({ addresses, logger, random: systemRandom, isTrusted: () => true });
  const guards = createGuards({
    findImpersonation: async () => undefined,
    noteUse: () => undefined,
    identity,
    tokens,
    findPageSession: async () => undefined,
    resolveEnvironment: resolveKnownEnvironment(identity),
  });
  const api = registerPublicApi(
    server,
    store,
    guards,
    {
      identity,
      rights: createRightsRepository(store, time.clock, adminLog),
      tokens,
      adminLog,
      browsers: {
        openProvider: () => Promise.reject(new TypeError('Nobody opens a page here.')),
        findAccount: async () => undefined,
      },
    },
    { clock: time.clock, random: systemRandom, logger, kind, ratePolicies },
  );
  for (const scope of apiScopes) {
    const route = pathOf(scope, ':projectName', ':environmentName').slice('/v1'.length).replaceAll('%3A', ':');
    api.add({
      method: 'GET',
      path: route as `/${string}`,
      scope,
      handle: async ({ caller, environment }) => ({ ...caller, scopes: [...caller.scopes], environment }),
    });
    api.add({ method: 'POST', path: route as `/${string}`, scope, handle: async () => ({}) });
  }
  options.addRoutes?.(api);
  await server.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  const { port } = server.server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const user = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
  const { environment, member } = await provisionIn(store, {
    project,
    secretHash: sha256Hex('e'.repeat(64)),
    user,
  });
  /** Change Ada's place in the project, as Eve, who is an administrator as well. */
  const changeAda = async (changes: PersonChange) => {
    const eve = await provisionIn(store, {
      project,
      secretHash: 'other',
      user: { firstName: 'Eve', lastName: 'Example', email: 'eve@example.test' },
    });
    const people = createPeopleRepository(store, time.clock, adminLog);
    await people.change(environment.projectId, member.id, changes, authorOf(eve.member, undefined));
  };
  const owner = { userId: member.id, environmentId: environment.id, hasSecondFactor: false };
  const ada = await tokens.issue(owner, 'test', 400 * 24 * 3_600_000);

  const call = async (method: string, route: string, init: CallInit = {}) => {
    const { as, body, headers } = init;
    const response = await fetch(url + route, {
      method,
      headers: {
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> | undefined,
    };
  };
  const ownPath = `/api/projects/${encodeURIComponent(project)}/tokens`;
  /** Make a token as Ada. */
  const makeToken = async (input: object = {}) => {
    const { status, text } = await call('POST', ownPath, {
      as: ada,
      body: { name: 'siem', scopes: ['all'], ...input },
    });
    if (status !== 201) throw new Error(`Making a token was answered with ${status} ${text}`);
    const made = JSON.parse(text) as ApiTokenWithSecret;
    return { ...made, token: made.token ?? '' };
  };
  return {
    ...{ url, server, store, identity, tokens, time, lines, environment, member },
    ...{ ada, changeAda, ownPath, call, makeToken },
  };
}

interface CallInit {
  readonly as?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The store, and how many statements and transactions it was asked for. */
function counted(store: Store) {
  const count = { statements: 0, transactions: 0 };
  const db = store.db.withPlugin({
    transformQuery: ({ node }) => {
      count.statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    ...store,
    db,
    count,
    transaction: (work: Parameters<Store['transaction']>[0]) => {
      count.transactions++;
      return store.transaction(work);
    },
  } as Store & { readonly count: typeof count };
}
