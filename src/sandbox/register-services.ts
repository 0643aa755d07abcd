import type { FastifyInstance } from 'fastify';
import { packageVersion } from '#node/system/package-version';

import { registerActivityRoutes } from './activity/activity-routes.ts';
import { createActivityService } from './activity/activity-service.ts';
import { createAgentRepository } from './agents/agent-repository.ts';
import { registerAgentRoutes } from './agents/agent-routes.ts';
import { registerApiDocument } from './api/register-api-document.ts';
import { registerApprovalRoutes } from './approvals/approval-routes.ts';
import { createSpentApprovalRepository } from './approvals/spent-approval-repository.ts';
import type { RecordChange } from './audit/admin-log.ts';
import { createCustomizationRepository } from './customizations/customization-repository.ts';
import { registerCustomizationRoutes } from './customizations/customization-routes.ts';
import { registerDeploymentServices } from './deployments/register-deployment-services.ts';
import type { EventHub } from './events/event-hub.ts';
import { registerEventRoutes } from './events/event-routes.ts';
import { permissionsUnderTest, registerFixtureRoutes, resolveAnyEnvironment } from './fixtures/fixture-routes.ts';
import { createHeardChanges } from './fixtures/heard-changes.ts';
import { createOverrideRepository } from './fixtures/override-repository.ts';
import { createPeopleFixtures } from './fixtures/people-fixtures.ts';
import type { IdentityRepository } from './identity/identity-repository.ts';
import { registerIdentityServices } from './identity/register-identity-services.ts';
import { createIpRuleRepository } from './ip-rules/ip-rule-repository.ts';
import { registerIpRuleRoutes } from './ip-rules/ip-rule-routes.ts';
import { registerMcpClientRoutes } from './mcp-authorization/mcp-client-routes.ts';
import { createMcpStateRepository } from './mcp-authorization/mcp-state-repository.ts';
import { registerMcpStateRoutes } from './mcp-authorization/mcp-state-routes.ts';
import { registerNotes } from './notes/register-notes.ts';
import type { PasswordHashes } from './passwords/password-hash.ts';
import { registerPermissionRoutes } from './permissions/permission-routes.ts';
import { createPermissionService } from './permissions/permission-service.ts';
import { addCallerRoute } from './public-api/caller-route.ts';
import { createCursors } from './public-api/cursor.ts';
import { registerLogServices } from './public-api/register-log-services.ts';
import { registerPublicApi } from './public-api/register-public-api.ts';
import { registerPublicApiDocument } from './public-api/register-public-api-document.ts';
import { createRightsRepository } from './rights/rights-repository.ts';
import { registerRightsRoutes } from './rights/rights-routes.ts';
import { createRightsService } from './rights/rights-service.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { createSchemaRepository } from './schemas/schema-repository.ts';
import { registerSchemaRoutes } from './schemas/schema-routes.ts';
import { createGuards, resolveKnownEnvironment } from './server/guards.ts';
import type { SignInLinks } from './sign-in/sign-in-links.ts';
import type { Store } from './store/store.ts';
import type { TokenService } from './tokens/token-service.ts';

export interface SharedServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly hashes: PasswordHashes;
  readonly record: RecordChange;
  readonly events: EventHub;
  readonly links: SignInLinks | undefined;
  /** What its addresses begin with, once it listens. */
  readonly origin: () => string;
}

/** Everything that the platform offers over HTTP, but for its readiness, its metrics and its setup. */
export function registerServices(
  server: FastifyInstance,
  store: Store,
  { identity, tokens, hashes, record, events, links, origin }: SharedServices,
  options: SandboxOptions,
): void {
  const { clock, isForTests = false } = options;
  const schemas = createSchemaRepository(store, clock);
  const overrides = createOverrideRepository(store);
  const ipRules = createIpRuleRepository(store, record);
  const customizations = createCustomizationRepository(store);
  const resolve = isForTests ? resolveAnyEnvironment(identity) : resolveKnownEnvironment(identity);
  const guards = createGuards(identity, tokens, resolve);
  registerApiDocument(server, packageVersion());
  registerPublicApiDocument(server, packageVersion());
  const rights = createRightsRepository(store, clock, record);
  const permissions = createPermissionService({ identity, schemas, rights });
  const fixtures = { customizations, ipRules, identity, schemas, overrides, rights };
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
  registerActivityRoutes(server, guards, createActivityService(store, clock, options.random));
  registerApprovalRoutes(server, guards, createSpentApprovalRepository(store, clock));
  registerMcpStateRoutes(server, guards, createMcpStateRepository(store, clock, record));
  registerMcpClientRoutes(server, guards, store, { clock, record });
  const { openProvider } = registerIdentityServices(
    server,
    store,
    guards,
    { identity, tokens, hashes, record, rights, links, origin },
    options,
  );
  registerDeploymentServices(server, store, guards, { identity, events, record }, options);
  const kind = options.team ? 'live' : 'test';
  const api = registerPublicApi(
    server,
    store,
    guards,
    { identity, tokens, openProvider, record },
    { ...options, kind },
  );
  addCallerRoute(api, identity);
  // Without a key, cursors are good until the platform stops.
  const cursors = createCursors(options.platformKey ?? options.random.hex(32));
  registerLogServices(server, store, { api, cursors }, options);
  registerNotes(store, { api, cursors, identity, schemas }, options);
  if (isForTests) {
    const people = createPeopleFixtures({ store, clock, record, identity, schemas, rights, permissions });
    registerFixtureRoutes(server, guards, fixtures, people, createHeardChanges(server, agents, events));
  }
}
