import type { FastifyInstance } from 'fastify';
import { signInIssuerPath } from '#contracts/sign-in';
import { hostInUrl } from '#host/http/host-in-url';
import { listenOnPort } from '#host/http/listen-on-port';
import { sha256Hex } from '#host/system/digest';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { WantedPort } from '#kernel/ports/wanted-port';
import { registerActivityRoutes } from './activity/activity-routes.ts';
import { createSqliteActivityRepository } from './activity/sqlite-activity-repository.ts';
import { createSqliteSpentApprovalRepository, registerApprovalRoutes } from './approvals/approval-routes.ts';
import {
  createSqliteCustomizationRepository,
  registerCustomizationRoutes,
} from './customizations/customization-routes.ts';
import { registerDeploymentRoutes } from './deployments/deployment-routes.ts';
import { createDeploymentService } from './deployments/deployment-service.ts';
import { createSqliteDeploymentRepository } from './deployments/sqlite-deployment-repository.ts';
import { createEventHub, type EventHub } from './events/event-hub.ts';
import { registerEventRoutes } from './events/event-routes.ts';
import { announcedOverrides } from './fixtures/announced-overrides.ts';
import { permissionsUnderTest, registerFixtureRoutes, resolveAnyEnvironment } from './fixtures/fixture-routes.ts';
import { createSqliteOverrideRepository } from './fixtures/override-repository.ts';
import { announcedIdentity } from './identity/announced-identity.ts';
import type { IdentityRepository } from './identity/identity-repository.ts';
import { registerIdentityRoutes } from './identity/identity-routes.ts';
import { createSqliteIdentityRepository } from './identity/sqlite-identity-repository.ts';
import { createSqliteIpRuleRepository, registerIpRuleRoutes } from './ip-rules/ip-rule-routes.ts';
import { permissionsByType, registerPermissionRoutes } from './permissions/permission-routes.ts';
import { announcedSchemas } from './schemas/announced-schemas.ts';
import { registerSchemaRoutes } from './schemas/schema-routes.ts';
import { createSqliteSchemaRepository } from './schemas/sqlite-schema-repository.ts';
import { createServer } from './server/create-server.ts';
import { createGuards, resolveKnownEnvironment } from './server/guards.ts';
import { parsePublicOrigin } from './server/public-origin.ts';
import { registerAuthorizationRoutes } from './sign-in/authorization-routes.ts';
import { createProviderHolder } from './sign-in/provider-holder.ts';
import { registerSignInRoutes } from './sign-in/sign-in-routes.ts';
import { createSqliteSignInStore } from './sign-in/sign-in-store.ts';
import { type OpenDatabase, openStore } from './store/open-store.ts';
import { createSqliteTokenRepository } from './tokens/sqlite-token-repository.ts';
import { createTokenService, type TokenService } from './tokens/token-service.ts';

export interface SandboxOptions {
  /** File of the store, created where missing. */
  readonly storePath: string;
  readonly port: WantedPort;
  /** Address to listen on; 127.0.0.1 unless told otherwise. */
  readonly host?: string;
  /**
   * The origin it is reached at where a proxy stands before it: `https://platform.example.com`. Issuer of the sign-in, and what
   * its addresses begin with. Default: where it listens.
   */
  readonly publicUrl?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly openDatabase: OpenDatabase;
  /** Answer the routes of `#contracts/test-platform` and take any environment secret. Default false. */
  readonly isForTests?: boolean;
}

export interface DevelopmentInput {
  readonly project: string;
  readonly envSecret: string;
  readonly user: { readonly name: string; readonly email: string };
}

export interface DevelopmentAccess {
  /** For `Authorization: Bearer`. Tokens of earlier sessions of the same user in the environment stop working. */
  readonly userToken: string;
  readonly userId: number;
  /** The view of the team the user works in: what the agent's session tokens carry as `renderingId`. */
  readonly renderingId: number;
  readonly team: string;
  readonly role: string;
}

/** A running platform. */
export interface Sandbox {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Make sure project, development environment and user exist, and sign the user in. */
  provisionDevelopment(input: DevelopmentInput): Promise<DevelopmentAccess>;
  revoke(userToken: string): Promise<void>;
  /** Stop accepting, let requests in flight end, close the store. Resolves within a second; may be called again. */
  stop(): Promise<void>;
}

const sessionPurpose = 'development session';
const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000;
const drainMs = 400;

/**
 * Start the platform on this machine. Rejects with `PLATFORM_ADDRESS_INVALID` for a public address that is no origin,
 * `SANDBOX_STORE_UNAVAILABLE`, `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`, leaving nothing open.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const publicOrigin = options.publicUrl === undefined ? undefined : parsePublicOrigin(options.publicUrl);
  const connection = await openStore(options.storePath, options.openDatabase);
  let server: FastifyInstance | undefined;
  try {
    const events = createEventHub();
    const identity = announcedIdentity(createSqliteIdentityRepository(connection, options.clock), events);
    const tokens = createTokenService(
      createSqliteTokenRepository(connection, options.clock),
      options.clock,
      options.random,
    );
    const host = options.host ?? '127.0.0.1';
    server = await createServer({ listenHost: host, publicOrigin }, options.logger);
    let url = '';
    const origin = () => publicOrigin ?? url;
    registerServices(server, connection, { identity, tokens, events, origin }, options);
    await server.ready();
    url = `http://${hostInUrl(host)}:${await listenOnPort(server.server, host, options.port)}`;
    return {
      url,
      provisionDevelopment: (input) => provisionDevelopment(identity, tokens, input),
      revoke: (userToken) => tokens.revoke(userToken),
      stop: onlyOnce(server, connection),
    };
  } catch (error) {
    await server?.close();
    connection.close();
    throw error;
  }
}

interface SharedServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly events: EventHub;
  /** What its addresses begin with, once it listens. */
  readonly origin: () => string;
}

function registerServices(
  server: FastifyInstance,
  connection: SqliteConnection,
  { identity, tokens, events, origin }: SharedServices,
  { clock, random, isForTests = false }: SandboxOptions,
): void {
  const schemas = announcedSchemas(createSqliteSchemaRepository(connection, clock), identity, events);
  const overrides = announcedOverrides(createSqliteOverrideRepository(connection), events);
  const ipRules = createSqliteIpRuleRepository(connection);
  const customizations = createSqliteCustomizationRepository(connection, events);
  const fixtures = { customizations, ipRules, identity, schemas, overrides };
  const resolve = isForTests ? resolveAnyEnvironment(identity) : resolveKnownEnvironment(identity);
  const guards = createGuards(identity, tokens, resolve);
  registerIdentityRoutes(server, guards);
  registerPermissionRoutes(server, guards, {
    identity,
    schemas,
    permissionsOf: isForTests ? permissionsUnderTest(fixtures) : permissionsByType,
  });
  registerEventRoutes(server, guards, events);
  registerSchemaRoutes(server, guards, schemas);
  registerIpRuleRoutes(server, guards, ipRules);
  registerCustomizationRoutes(server, guards, customizations);
  registerActivityRoutes(server, guards, createSqliteActivityRepository(connection, clock));
  registerApprovalRoutes(server, guards, createSqliteSpentApprovalRepository(connection, clock));
  const store = createSqliteSignInStore(connection, clock);
  const openProvider = createProviderHolder(async () => {
    const { createProvider } = await import('./sign-in/create-provider.ts');
    return createProvider(`${origin()}/${signInIssuerPath}`, store, identity, random);
  });
  registerSignInRoutes(server, { identity, tokens, store, openProvider, registration: guards.registration });
  registerAuthorizationRoutes(server, guards, identity, openProvider);
  registerDeploymentRoutes(
    server,
    guards,
    createDeploymentService(createSqliteDeploymentRepository(connection, clock)),
  );
  if (isForTests) registerFixtureRoutes(server, guards, fixtures);
}

async function provisionDevelopment(
  identity: IdentityRepository,
  tokens: TokenService,
  { project, envSecret, user }: DevelopmentInput,
): Promise<DevelopmentAccess> {
  const [firstName = '', ...rest] = user.name.trim().split(/\s+/);
  const { environment, member, rendering } = await identity.provisionDevelopment({
    project,
    secretHash: sha256Hex(envSecret),
    user: { firstName, lastName: rest.join(' '), email: user.email },
  });
  const owner = { userId: member.id, environmentId: environment.id };
  return {
    userToken: await tokens.issue(owner, sessionPurpose, sessionLifetimeMs),
    userId: member.id,
    renderingId: rendering.id,
    team: rendering.team,
    role: member.roleName,
  };
}

/** The store closes last, when no request can reach it any more. */
function onlyOnce(server: FastifyInstance, connection: SqliteConnection): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    const forced = setTimeout(() => server.server.closeAllConnections(), drainMs);
    try {
      await server.close();
    } finally {
      clearTimeout(forced);
      connection.close();
    }
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}
