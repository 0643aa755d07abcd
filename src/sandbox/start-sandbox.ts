import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { hostInUrl } from '#host/http/host-in-url';
import { listenOnPort } from '#host/http/listen-on-port';
import { sha256Hex } from '#host/system/digest';
import { packageVersion } from '#host/system/package-version';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { WantedPort } from '#kernel/ports/wanted-port';
import { createActivityRepository } from './activity/activity-repository.ts';
import { registerActivityRoutes } from './activity/activity-routes.ts';
import { createAgentRepository } from './agents/agent-repository.ts';
import { registerAgentRoutes } from './agents/agent-routes.ts';
import { registerApiDocument } from './api/register-api-document.ts';
import { registerApprovalRoutes } from './approvals/approval-routes.ts';
import { createSpentApprovalRepository } from './approvals/spent-approval-repository.ts';
import type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
import { createCustomizationRepository } from './customizations/customization-repository.ts';
import { registerCustomizationRoutes } from './customizations/customization-routes.ts';
import type { CheckDeployment } from './deployments/platform-check.ts';
import { registerDeploymentServices } from './deployments/register-deployment-services.ts';
import { createEventHub, type EventHub } from './events/event-hub.ts';
import { registerEventRoutes } from './events/event-routes.ts';
import { permissionsUnderTest, registerFixtureRoutes, resolveAnyEnvironment } from './fixtures/fixture-routes.ts';
import { createOverrideRepository } from './fixtures/override-repository.ts';
import { createIdentityRepository, type IdentityRepository } from './identity/identity-repository.ts';
import { type PersonInput, type ProvisionedPerson, provisionPerson } from './identity/provision-person.ts';
import { registerIdentityServices } from './identity/register-identity-services.ts';
import { createIpRuleRepository } from './ip-rules/ip-rule-repository.ts';
import { registerIpRuleRoutes } from './ip-rules/ip-rule-routes.ts';
import { checkCertificate } from './operation/check-certificate.ts';
import { checkExposure } from './operation/check-exposure.ts';
import { measuredStore } from './operation/measured-store.ts';
import { createMetrics } from './operation/metrics.ts';
import { registerMetrics, registerReadiness } from './operation/operation-routes.ts';
import { createReadinessCheck, type ReadinessCheck } from './operation/readiness.ts';
import type { TeamOptions } from './operation/team-options.ts';
import { teamServer } from './operation/team-server.ts';
import { registerPermissionRoutes } from './permissions/permission-routes.ts';
import { createPermissionService } from './permissions/permission-service.ts';
import { createRightsRepository } from './rights/rights-repository.ts';
import { registerRightsRoutes } from './rights/rights-routes.ts';
import { createRightsService } from './rights/rights-service.ts';
import { createSchemaRepository } from './schemas/schema-repository.ts';
import { registerSchemaRoutes } from './schemas/schema-routes.ts';
import { createServer } from './server/create-server.ts';
import { createGuards, resolveKnownEnvironment } from './server/guards.ts';
import { parsePublicOrigin } from './server/public-origin.ts';
import { registerSetupRoutes } from './setup/setup-routes.ts';
import { createSetupService, type SetupLink } from './setup/setup-service.ts';
import { openStore, type StoreAddress } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createTokenRepository } from './tokens/token-repository.ts';
import { createTokenService, type TokenService } from './tokens/token-service.ts';

export interface SandboxOptions {
  /** Where the platform keeps everything. A SQLite file is created where missing. */
  readonly store: StoreAddress;
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
  /**
   * What the platform encrypts secrets under, at least 32 random bytes in any spelling. It must not be kept in the store.
   * Without it, the platform keeps no variables, and who signs in has to do so again when it starts anew.
   */
  readonly platformKey?: string;
  /** The provider of the company whose people sign in with the accounts they have there. */
  readonly companySignOn?: CompanySignOnOptions;
  /** Checks a deployment where no host is connected. Rejects with what is wrong. Default: it is not checked. */
  readonly checkDeployment?: CheckDeployment;
  /** What a platform of a team has beside that. Default: it is the local platform of one person. */
  readonly team?: TeamOptions;
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

export interface SandboxPerson extends Omit<PersonInput, 'environment'> {
  readonly envSecret: string;
}

/** A running platform. */
export interface Sandbox {
  /** Where it listens, without a slash at its end. */
  readonly url: string;
  /** Make sure project, development environment and user exist, and sign the user in. */
  provisionDevelopment(input: DevelopmentInput): Promise<DevelopmentAccess>;
  /** Make sure that somebody is a user of the project of the environment, with a role and a team. */
  provisionPerson(input: SandboxPerson): Promise<ProvisionedPerson>;
  revoke(userToken: string): Promise<void>;
  /** A new link for the first administrator of a team; `undefined` once the platform has people. */
  makeSetupLink(): Promise<SetupLink | undefined>;
  /** Stop accepting, let requests in flight end, close the store. The local platform does so within a second. May be called again. */
  stop(): Promise<void>;
}

const sessionPurpose = 'development session';
const sessionLifetimeMs = 30 * 24 * 60 * 60 * 1000;
const localDrainMs = 400;

/**
 * Start the platform on this machine. Rejects with `PLATFORM_ADDRESS_INVALID` for a public address that is no origin,
 * `PLATFORM_EXPOSED` for a team whose passwords would be sent in the open, `DATABASE_URI_INVALID`, `PLATFORM_STORE_UNAVAILABLE`, `PLATFORM_STORE_IN_USE`, `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`, leaving nothing open.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const publicOrigin = options.publicUrl === undefined ? undefined : parsePublicOrigin(options.publicUrl);
  const host = options.host ?? '127.0.0.1';
  const { team, clock, random, logger } = options;
  if (team) checkExposure(host, publicOrigin, team);
  if (team?.tls) checkCertificate(team.tls);
  const opened = await openStore(options.store);
  let server: FastifyInstance | undefined;
  try {
    const metrics = team && (await createMetrics(opened, clock));
    const store = metrics ? measuredStore(opened, metrics) : opened;
    const events = createEventHub(store);
    const identity = createIdentityRepository(store, clock);
    const tokens = createTokenService(createTokenRepository(store, clock), clock, random);
    const setup = createSetupService(store, tokens, clock, random);
    const readiness = createReadinessCheck(store);
    const addresses = { listenHost: host, publicOrigin };
    const extras = team && metrics ? teamServer(team, metrics, publicOrigin) : {};
    server = await createServer({ addresses, logger, random, ...extras });
    let url = '';
    const origin = () => publicOrigin ?? url;
    registerReadiness(server, readiness);
    if (metrics) registerMetrics(server, metrics, team.metricsToken);
    if (team) registerSetupRoutes(server, setup);
    registerServices(server, store, { identity, tokens, events, origin }, options);
    await server.ready();
    const scheme = team?.tls ? 'https' : 'http';
    url = `${scheme}://${hostInUrl(host)}:${await listenOnPort(server.server, host, options.port)}`;
    return {
      url,
      provisionDevelopment: (input) => provisionDevelopment(identity, tokens, input),
      provisionPerson: async ({ envSecret, ...person }) => {
        const environment = await identity.findEnvironmentBySecret(sha256Hex(envSecret));
        if (!environment) throw new TypeError('No environment has that secret.');
        return provisionPerson(store, options.clock, { environment, ...person });
      },
      revoke: (userToken) => tokens.revoke(userToken),
      makeSetupLink: () => setup.makeLink(),
      stop: onlyOnce(server, store, readiness, team ?? { noticeMs: 0, drainMs: localDrainMs }),
    };
  } catch (error) {
    await server?.close();
    await opened.close();
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
  store: Store,
  { identity, tokens, events, origin }: SharedServices,
  options: SandboxOptions,
): void {
  const { clock, isForTests = false } = options;
  const schemas = createSchemaRepository(store, clock);
  const overrides = createOverrideRepository(store);
  const ipRules = createIpRuleRepository(store);
  const customizations = createCustomizationRepository(store);
  const fixtures = { customizations, ipRules, identity, schemas, overrides };
  const resolve = isForTests ? resolveAnyEnvironment(identity) : resolveKnownEnvironment(identity);
  const guards = createGuards(identity, tokens, resolve);
  registerApiDocument(server, packageVersion());
  const rights = createRightsRepository(store, clock);
  const permissions = createPermissionService({ identity, schemas, rights });
  registerPermissionRoutes(
    server,
    guards,
    identity,
    isForTests ? { ...permissions, environment: permissionsUnderTest(fixtures) } : permissions,
  );
  registerRightsRoutes(server, guards, createRightsService(rights, schemas));
  const agents = createAgentRepository(store, clock);
  registerEventRoutes(server, guards, { events, agents, random: options.random, logger: options.logger });
  registerAgentRoutes(server, guards, agents, events);
  registerSchemaRoutes(server, guards, schemas);
  registerIpRuleRoutes(server, guards, ipRules, rights);
  registerCustomizationRoutes(server, guards, customizations);
  registerActivityRoutes(server, guards, createActivityRepository(store, clock));
  registerApprovalRoutes(server, guards, createSpentApprovalRepository(store, clock));
  registerIdentityServices(server, store, guards, { identity, tokens, rights, origin }, options);
  registerDeploymentServices(server, store, guards, { identity, events }, options);
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
function onlyOnce(
  server: FastifyInstance,
  store: Store,
  readiness: ReadinessCheck,
  { noticeMs, drainMs }: Pick<TeamOptions, 'noticeMs' | 'drainMs'>,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    readiness.beginStop();
    if (noticeMs > 0) await wait(noticeMs);
    const forced = setTimeout(() => server.server.closeAllConnections(), drainMs);
    try {
      await server.close();
    } finally {
      clearTimeout(forced);
      await store.close();
    }
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}
