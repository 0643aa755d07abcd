import type { FastifyInstance } from 'fastify';
import type { RateLimit } from '#contracts/public-api/rate-limit';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import type { Guards } from './access/guards.ts';
import { createApiTokenRepository, type TokenUse } from './api-tokens/api-token-repository.ts';
import type { ApiTokenKind } from './api-tokens/api-token-secret.ts';
import { createApiTokenService, registerApiTokenRoutes } from './api-tokens/api-token-service.ts';
import { registerServiceAccountRoute } from './api-tokens/service-accounts.ts';
import { registerTokenPage } from './api-tokens/token-page-routes.ts';
import { warnOfEnds } from './api-tokens/warn-of-ends.ts';
import type { AdminLog } from './audit/admin-log.ts';
import type { IdentityRepository } from './identity/identity-repository.ts';
import type { SignedInBrowsers } from './provider/browser-session.ts';
import { createAuthenticator, createPageAuthenticator } from './public-api/authenticate.ts';
import { type PublicApi, publicApi } from './public-api/public-api.ts';
import { createRateLimitService, type RateLimitService } from './public-api/rate-limit-service.ts';
import type { RightsRepository } from './rights/rights-repository.ts';
import { createLastUses } from './server/last-uses.ts';
import type { Store } from './store/store.ts';
import type { TokenService } from './tokens/token-service.ts';

export interface PublicApiOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly kind: ApiTokenKind;
  readonly ratePolicies?: readonly RatePolicy[] | undefined;
}

export interface PublicApiServices {
  readonly identity: IdentityRepository;
  readonly rights: RightsRepository;
  readonly tokens: TokenService;
  /** Who has signed in to the pages of the platform. */
  readonly browsers: SignedInBrowsers;
  readonly adminLog: AdminLog;
}

/** The tokens of programs, and the front door of the API that they are for. Other services add their routes to it. */
export function registerPublicApi(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  services: PublicApiServices,
  { clock, random, logger, kind, ratePolicies }: PublicApiOptions,
): PublicApi {
  const { identity, rights, tokens: personTokens, browsers, adminLog } = services;
  const tokens = createApiTokenRepository(store, clock);
  const service = createApiTokenService({ store, tokens, clock, random, kind, adminLog });
  registerApiTokenRoutes(server, guards, service);
  registerTokenPage(server, { tokens: service, identity, ...browsers, random });
  const uses = createLastUses<TokenUse>(
    { name: 'API tokens', keyOf: ({ tokenId }) => tokenId, save: tokens.saveUses },
    logger,
  );
  registerServiceAccountRoute(server, guards, { tokens, clock, noteUse: uses.note, identity, rights });
  const authenticate = createAuthenticator({ apiTokens: tokens, personTokens, identity, clock, noteUse: uses.note });
  const limits = createRateLimitService(store, clock, ratePolicies);
  const authenticatePage = createPageAuthenticator(guards.user);
  const api = publicApi(server, { authenticate, authenticatePage, identity, limits, clock });
  addRateLimitRoute(api, limits);
  const stopWarnings = warnOfEnds(tokens, clock, logger);
  server.addHook('onClose', async () => {
    await stopWarnings();
    await uses.stop();
  });
  return api;
}

/** `GET /v1/rate-limit`: what is left of each quota. Asking is free. */
function addRateLimitRoute(api: PublicApi, limits: RateLimitService): void {
  api.add({
    method: 'GET',
    path: '/rate-limit',
    scope: undefined,
    cost: 0,
    handle: async ({ caller }): Promise<RateLimit> => {
      const { states } = await limits.look(caller.subject);
      return {
        object: 'rate-limit',
        policies: states.map(({ policy, remaining, untilNext }) => ({
          name: policy.name,
          limit: policy.quota,
          windowSeconds: policy.windowSeconds,
          remaining,
          nextInSeconds: Math.ceil(untilNext / 1_000_000),
        })),
      };
    },
  });
}
