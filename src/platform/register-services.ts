import type { FastifyInstance } from 'fastify';
import { consolePath } from '#contracts/console';
import { createSmtpMailer } from '#node/mail/smtp-mailer';
import { packageVersion } from '#node/system/package-files';
import { createSealedTexts } from '#node/system/secrets';
import { createGuards, type GuardParts, type Guards, resolveKnownEnvironment } from './access/guards.ts';
import { createActivityService, registerActivityRoutes } from './activity/activity-service.ts';
import { createRecordHistories } from './activity/kept-records.ts';
import { registerAgentAccess } from './agent-access/forward-routes.ts';
import { findImpersonations } from './agent-access/impersonations.ts';
import { createAgentRepository } from './agents/agent-repository.ts';
import { registerAgentRoutes } from './agents/agent-routes.ts';
import { registerEventRoutes } from './agents/event-routes.ts';
import { registerApiDocument } from './api/openapi-document.ts';
import { StoredApprovalMails } from './approvals/approval-mail-queue.ts';
import { StoredApprovals } from './approvals/approval-repository.ts';
import { registerApprovals, sendApprovalMails } from './approvals/approval-routes.ts';
import { createSpentApprovalRepository, registerApprovalRoutes } from './approvals/spent-approvals.ts';
import type { AdminLog } from './audit/admin-log.ts';
import { valuesPurpose } from './audit/personal-places.ts';
import { registerConsole } from './console/register-console.ts';
import { createCustomizationRepository, registerCustomizationRoutes } from './customizations/customizations.ts';
import { registerDeploymentServices } from './deployments/register-deployment-services.ts';
import type { EventHub } from './events/event-hub.ts';
import { createPageNews } from './events/page-news.ts';
import type { IdentityRepository } from './identity/identity-repository.ts';
import { createIpRuleRepository } from './ip-rules/ip-rule-repository.ts';
import { registerLogServices } from './log-api/register-log-services.ts';
import { registerMcpClientRoutes } from './mcp-authorization/mcp-client-routes.ts';
import { createMcpStateRepository, registerMcpStateRoutes } from './mcp-authorization/mcp-state.ts';
import { createAskRepository } from './mcp-marks/asks.ts';
import { registerAssistantsPage } from './mcp-marks/assistants-page-routes.ts';
import { registerMarkRoutes } from './mcp-marks/mark-routes.ts';
import { createMarkRepository } from './mcp-marks/marks.ts';
import { registerNotes } from './notes/note-routes.ts';
import type { PasswordHashes } from './passwords/password-hash.ts';
import { registerIpRuleRoutes, registerPermissionRoutes } from './permissions/permission-routes.ts';
import { createPermissionService, type PermissionService } from './permissions/permission-service.ts';
import type { PlatformOptions, PlatformParts } from './platform-options.ts';
import { registerPreferenceRoutes } from './preferences/preferences.ts';
import { registerTeamViewRoutes } from './preferences/team-views.ts';
import type { NeedsSecondFactor } from './provider/accounts.ts';
import { pageSessions, type SignedInBrowsers } from './provider/browser-session.ts';
import { createSignInProvider } from './provider/sign-in-provider.ts';
import { createCursors } from './public-api/cursor.ts';
import { addCallerRoute } from './public-api/public-api.ts';
import { registerPublicApiDocument } from './public-api/public-api-document.ts';
import { registerIdentityServices } from './register-identity-services.ts';
import { registerPublicApi } from './register-public-api.ts';
import { createRightsRepository, type RightsRepository } from './rights/rights-repository.ts';
import { createRightsService, registerRightsRoutes } from './rights/rights-service.ts';
import { createWatchService, registerWatchRoutes, type WatchParts } from './rights/rights-watch.ts';
import { registerSuggestionRoute, type SuggestionParts } from './rights/suggest-rights.ts';
import { registerRefusalRoute } from './rights/would-refuse.ts';
import { createSentWebhookOrigins } from './schemas/known-collections.ts';
import { createSchemaRepository, registerSchemaRoutes, type SchemaRepository } from './schemas/schemas.ts';
import { createLastUses } from './server/last-uses.ts';
import { type SessionUse, saveSessionUses } from './sessions/session-repository.ts';
import type { SignInLinks } from './sign-in/sign-in-links.ts';
import type { Store } from './store/store.ts';
import type { TokenService } from './tokens/token-service.ts';

export interface SharedServices {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly hashes: PasswordHashes;
  readonly adminLog: AdminLog;
  readonly events: EventHub;
  readonly links: SignInLinks | undefined;
  readonly needsSecondFactor: NeedsSecondFactor;
  /** What its addresses begin with, once it listens. */
  readonly origin: () => string;
}

/** Everything that the platform offers over HTTP, except its readiness, its metrics and its setup. */
export function registerServices(
  server: FastifyInstance,
  store: Store,
  { identity, tokens, hashes, adminLog, events, links, needsSecondFactor, origin }: SharedServices,
  options: PlatformOptions,
): PlatformParts {
  const { clock } = options;
  const schemas = createSchemaRepository(store, clock);
  const rights = createRightsRepository(store, clock, adminLog);
  const permissions = createPermissionService({ identity, schemas, rights, store });
  const ipRules = createIpRuleRepository(store, adminLog);
  const customizations = createCustomizationRepository(store);
  const agents = createAgentRepository(store, clock);
  const records = { identity, tokens, schemas, rights, permissions, ipRules, customizations, agents };
  const parts: PlatformParts = { store, clock, adminLog, events, ...records };
  const switches = options.testSwitches?.(parts);
  const provider = createSignInProvider(store, { identity, tokens, adminLog, needsSecondFactor, origin }, options);
  const guards = registerGuards(server, store, options, {
    identity,
    tokens,
    findPageSession: pageSessions(provider),
    resolveEnvironment: switches?.resolveEnvironment ?? resolveKnownEnvironment(identity),
  });
  registerApiDocument(server, packageVersion());
  registerPublicApiDocument(server, packageVersion());
  const environment = switches?.environmentPermissions ?? permissions.environment;
  const current = { ...permissions, environment };
  registerRights(server, guards, { rights, schemas, identity, store, clock, adminLog, permissions: current });
  registerEventRoutes(server, guards, { events, agents, random: options.random, logger: options.logger });
  registerAgentRoutes(server, guards, agents, events);
  registerSchemaRoutes(server, guards, schemas);
  registerIpRuleRoutes(server, guards, ipRules, rights);
  registerCustomizationRoutes(server, guards, customizations);
  const news = createPageNews(store, options.logger);
  server.addHook('onClose', async () => news.stop());
  // Without a key, values are kept until the platform stops.
  const values = createSealedTexts(options.platformKey ?? options.random.hex(32), valuesPurpose);
  const activities = createActivityService(store, { clock, random: options.random, news, sealed: values });
  registerActivityRoutes(server, guards, activities, createRecordHistories(store.db, values));
  registerApprovalRoutes(server, guards, createSpentApprovalRepository(store, clock));
  registerRequests(server, store, guards, { adminLog, identity, permissions: current, origin }, options);
  registerMcpStateRoutes(server, guards, createMcpStateRepository(store, clock, adminLog));
  registerMcpClientRoutes(server, guards, store, { clock, adminLog });
  registerMarks(server, store, guards, { identity, adminLog, provider, origin }, options);
  const identityServices = { identity, tokens, hashes, adminLog, provider, rights, links, origin };
  registerIdentityServices(server, store, guards, identityServices, options);
  const agentTokens = registerAgentAccess(server, store, guards, { identity, rights, events, adminLog }, options);
  const { openProvider, findAccount } = provider;
  const browsers = { openProvider, findAccount };
  const sentWebhookOrigins = createSentWebhookOrigins(schemas);
  const consoleServices = { browsers, agentTokens, events, news, identity, sentWebhookOrigins, permissions: current };
  registerConsole(server, guards, consoleServices, options);
  registerPreferenceRoutes(server, guards, store);
  registerTeamViewRoutes(server, guards, store, clock);
  registerDeploymentServices(server, store, guards, { identity, events, adminLog }, options);
  const kind = options.team ? 'live' : 'test';
  const api = registerPublicApi(
    server,
    store,
    guards,
    { identity, rights, tokens, browsers: provider, adminLog },
    { ...options, kind },
  );
  addCallerRoute(api, identity);
  // Without a key, cursors are good until the platform stops.
  const cursors = createCursors(options.platformKey ?? options.random.hex(32));
  registerLogServices(server, store, { api, cursors }, options);
  registerNotes(server, store, { guards, api, cursors, identity, schemas }, options);
  switches?.registerRoutes(server, guards);
  return parts;
}

/** The guards of all routes. They note when sessions are used. */
function registerGuards(
  server: FastifyInstance,
  store: Store,
  { clock, logger }: Pick<PlatformOptions, 'clock' | 'logger'>,
  parts: Omit<GuardParts, 'noteUse' | 'findImpersonation'>,
): Guards {
  const uses = createLastUses<SessionUse>(
    { name: 'sessions', keyOf: ({ id }) => id, save: (used) => saveSessionUses(store, used) },
    logger,
  );
  server.addHook('onClose', () => uses.stop());
  const findImpersonation = findImpersonations({ store, identity: parts.identity, clock });
  return createGuards({ ...parts, findImpersonation, noteUse: (id) => uses.note({ id, at: clock.now() }) });
}

/** Requests to run actions that need an approval. */
function registerRequests(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { adminLog, origin, ...parts }: RequestServices,
  { clock, random, logger, platformKey, mailServer }: PlatformOptions,
): void {
  // Without a key, values are kept until the platform stops.
  const sealed = createSealedTexts(platformKey ?? random.hex(32), 'requests for approvals');
  const queue = mailServer && new StoredApprovalMails(store, clock);
  const approvals = new StoredApprovals({ store, sealed, clock, adminLog, mails: queue });
  const pageOf = ({ name }: { readonly name: string }, id: number) =>
    `${origin()}${consolePath}${encodeURIComponent(name)}/approvals/${id}`;
  registerApprovals(server, guards, { approvals, pageOf, sendsMails: queue !== undefined, ...parts }, logger);
  if (!queue) return;
  const mailer = createSmtpMailer(mailServer);
  sendApprovalMails(server, { queue, approvals, pageOf, store, mailer, clock, logger, ...parts });
}

interface RequestServices extends Pick<SharedServices, 'identity' | 'adminLog' | 'origin'> {
  readonly permissions: PermissionService;
}

/** What agents decide by, and who changes it. */
function registerRights(
  server: FastifyInstance,
  guards: Guards,
  { permissions, ...parts }: SuggestionParts & WatchParts & RightsParts,
): void {
  registerPermissionRoutes(server, guards, parts.identity, permissions);
  registerRightsRoutes(server, guards, createRightsService(parts.rights, parts.schemas));
  registerSuggestionRoute(server, guards, parts);
  registerRefusalRoute(server, guards, parts);
  registerWatchRoutes(server, guards, createWatchService(parts));
}

interface RightsParts {
  readonly permissions: PermissionService;
  readonly rights: RightsRepository;
  readonly schemas: SchemaRepository;
  readonly identity: IdentityRepository;
}

/** What keeps the marks of MCP sessions, and lets people answer for theirs. */
function registerMarks(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  {
    adminLog,
    provider,
    ...shared
  }: Pick<SharedServices, 'identity' | 'adminLog' | 'origin'> & {
    readonly provider: SignedInBrowsers;
  },
  { clock, random, team }: PlatformOptions,
): void {
  const services = {
    ...shared,
    marks: createMarkRepository(store, clock, adminLog),
    asks: createAskRepository(store, clock, random),
    isOfOneDeveloper: team === undefined,
  };
  registerMarkRoutes(server, guards, services);
  const { openProvider, findAccount } = provider;
  registerAssistantsPage(server, { ...services, openProvider, findAccount, random });
}
