import type { ActionOverride, CollectionOverride, PermissionOverrides, TestFixtures } from '#contracts/test-platform';
import type { AnySchema, SchemaShape } from '#runtime/index';
import type { AgentCharts } from '../charts/chart-client.ts';
import { createAgentCharts } from '../charts/chart-requests.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import type { KnownSchema } from '../wire/known-schema.ts';
import type { Approvals, SandboxClient } from '../wire/sandbox-client.ts';
import type { TestUser } from '../wire/session-token.ts';
import { type Benchmark, createBenchmark } from './benchmark.ts';
import { type CollectionClientOf, createCollectionClient } from './collection-client.ts';

/**
 * Talks to a running agent, in whatever language it is written, as one user: a developer who may do everything, unless `as` says
 * who else. Changes of fixtures and permissions hold for the very next request of everybody. (An agent with
 * `instantCacheRefresh: false` keeps the permissions it has read for a while.)
 */
export interface AgentTestClient<S extends SchemaShape<S> = AnySchema> extends AgentCharts {
  /** Throws `UnknownNameError`, which has the nearest name. */
  collection<C extends Extract<keyof S, string>>(name: C): CollectionClientOf<S, C>;
  /** A client whose requests a user of the fixtures sends. They reject with `UnknownNameError` where there is no such user. */
  as(email: string): AgentTestClient<S>;
  /**
   * The users of the test, their roles and teams, in place of those set before. Rejects with `AgentHttpError` for fixtures that
   * are not valid; the message has the place.
   */
  setFixtures(fixtures: TestFixtures): Promise<void>;
  /** Take rights on a collection away from every role, or give them to every role. What was overridden before stays. */
  overrideCollectionPermission(collection: string, rights: CollectionOverride): Promise<void>;
  /** The same for an action. Conditions are condition trees as filters have them on the wire. */
  overrideActionPermission(collection: string, action: string, rights: ActionOverride): Promise<void>;
  /** Overrides for the time that the work takes; afterwards those before it hold again. */
  withPermissions<Result>(overrides: PermissionOverrides, work: () => Promise<Result>): Promise<Result>;
  /** No right is overridden any more. */
  clearPermissionOverride(): Promise<void>;
  /** Measures how long requests take. */
  benchmark(): Benchmark;
}

export interface ClientParts {
  readonly schema: KnownSchema;
  readonly approvals: Approvals;
  readonly sandbox: SandboxClient;
  readonly connectAs: (user: TestUser) => AgentConnection;
  readonly userNamed: (email: string) => TestUser;
}

export function createClientOf(user: TestUser, parts: ClientParts): AgentTestClient {
  const { schema, sandbox, approvals } = parts;
  const connection = parts.connectAs(user);
  const checked = (collection: string, action?: string) => {
    const known = schema.collection(collection);
    if (action !== undefined) schema.action(known, action);
  };
  return {
    ...createAgentCharts(connection),
    collection: (name) => createCollectionClient(name, { connection, schema, approvals }),
    as: (email) => createClientOf(parts.userNamed(email), parts),
    setFixtures: sandbox.setFixtures,
    overrideCollectionPermission: async (collection, rights) => {
      checked(collection);
      await sandbox.mergeOverrides({ [collection]: { collection: rights } });
    },
    overrideActionPermission: async (collection, action, rights) => {
      checked(collection, action);
      await sandbox.mergeOverrides({ [collection]: { actions: { [action]: rights } } });
    },
    withPermissions: async (overrides, work) => {
      for (const [collection, { actions = {} }] of Object.entries(overrides)) {
        checked(collection);
        for (const action of Object.keys(actions)) checked(collection, action);
      }
      const before = await sandbox.overrides();
      await sandbox.mergeOverrides(overrides);
      try {
        return await work();
      } finally {
        await sandbox.replaceOverrides(before);
      }
    },
    clearPermissionOverride: sandbox.clearOverrides,
    benchmark: () => createBenchmark(),
  };
}
