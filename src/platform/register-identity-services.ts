import type { FastifyInstance } from 'fastify';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { Guards } from './access/guards.ts';
import type { AdminLog } from './audit/admin-log.ts';
import { createCompanyPeople } from './company-sign-on/company-people.ts';
import {
  type CompanySignOnOptions,
  createCompanySignOn,
  registerCompanySignOnRoute,
} from './company-sign-on/company-sign-on.ts';
import { createSignOnRepository } from './company-sign-on/sign-on-repository.ts';
import { createElevationRepository, endDueElevations } from './elevations/elevation-repository.ts';
import { createElevationService, registerElevationRoutes } from './elevations/elevation-service.ts';
import { createEnvironmentRepository } from './environments/environment-repository.ts';
import { createEnvironmentService, registerEnvironmentRoutes } from './environments/environment-service.ts';
import { registerFactors } from './factors/factor-routes.ts';
import type { IdentityRepository, ReachAgent } from './identity/identity-repository.ts';
import { createInvitationRepository } from './invitations/invitation-repository.ts';
import { createInvitationService, registerInvitationRoutes } from './invitations/invitation-service.ts';
import type { PasswordHashes } from './passwords/password-hash.ts';
import { createPasswordRepository } from './passwords/password-repository.ts';
import { createPasswordService } from './passwords/password-service.ts';
import { registerPeopleRoutes, registerSessionRoutes, registerTeamRoutes } from './passwords/people-routes.ts';
import { createSignInTries } from './passwords/sign-in-tries.ts';
import { createPeopleHistory } from './people/people-history.ts';
import { createPeopleRepository } from './people/people-repository.ts';
import { createPeopleService } from './people/people-service.ts';
import { registerWhoAmI } from './people/who-am-i.ts';
import { companyCallbackPath } from './provider/clients.ts';
import { registerKeyRoutes } from './provider/provider-keys.ts';
import type { SignInProvider } from './provider/sign-in-provider.ts';
import type { RightsRepository } from './rights/rights-repository.ts';
import { registerProvisioning } from './scim/scim-routes.ts';
import type { TeamOptions } from './server/team-options.ts';
import { createSessionRepository, registerEndedSessions } from './sessions/session-repository.ts';
import { registerAgentRegistration } from './sign-in/agent-registration.ts';
import { registerAuthorizationRoutes } from './sign-in/authorization-routes.ts';
import { registerFactorSettings } from './sign-in/factor-settings.ts';
import { createJoinedBrowsers } from './sign-in/joined-browsers.ts';
import { registerLinkPages } from './sign-in/link-page.ts';
import { registerSignInLinks } from './sign-in/sign-in-link-routes.ts';
import type { SignInLinks } from './sign-in/sign-in-links.ts';
import { registerSignInRoutes } from './sign-in/sign-in-routes.ts';
import { registerPrintedTokenRoutes, registerTokenRoutes } from './sign-in/token-routes.ts';
import type { Store } from './store/store.ts';
import { createTeamRepository } from './teams/team-repository.ts';
import type { TokenService } from './tokens/token-service.ts';

export interface IdentityServiceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The provider of the company whose people sign in with the accounts they have there. */
  readonly companySignOn?: CompanySignOnOptions;
  /** Where the platform reaches agents. Default: nowhere. */
  readonly reachAgent?: ReachAgent;
  /** Absent on the platform of one developer. */
  readonly team?: TeamOptions;
  /** What secrets are encrypted under. */
  readonly platformKey?: string;
}

export interface IdentityServices {
  readonly identity: IdentityRepository;
  readonly rights: RightsRepository;
  readonly tokens: TokenService;
  readonly hashes: PasswordHashes;
  readonly adminLog: AdminLog;
  readonly provider: SignInProvider;
  /** One-time links, on the platform of one developer. */
  readonly links: SignInLinks | undefined;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

/** Who people are, how they join and sign in, what they are signed in with, and the environments that they work on. */
export function registerIdentityServices(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  { identity, tokens, hashes, adminLog, provider, rights, links, origin }: IdentityServices,
  options: IdentityServiceOptions,
): void {
  const { clock, random, logger, companySignOn, team, reachAgent = () => undefined } = options;
  const people = createPeopleRepository(store, clock, adminLog);
  const passwords = createPasswordRepository(store, clock, adminLog);
  const tries = createSignInTries(store, clock);
  const passwordService = createPasswordService({ passwords, hashes, people, tries, clock, random, origin });
  const invitations = createInvitationRepository(store, clock, adminLog);
  const own = { invitations, people, passwords, passwordService, hashes, clock, random, origin };
  const invitationService = createInvitationService(own);
  registerWhoAmI(server, guards, { identity, rights, reachAgent, isOfOneDeveloper: team === undefined });
  registerPeopleRoutes(server, guards, createPeopleService(people, createPeopleHistory(store)), passwordService);
  const elevations = createElevationRepository(store, clock, adminLog);
  registerElevationRoutes(server, guards, createElevationService({ elevations, identity, rights, clock }));
  const stopEnding = endDueElevations(elevations, logger);
  server.addHook('onClose', stopEnding);
  registerTeamRoutes(server, guards, createTeamRepository(store, adminLog), people);
  registerInvitationRoutes(server, guards, invitationService);
  const joined = companySignOn?.isOnly ? undefined : createJoinedBrowsers({ clock, random, origin });
  registerLinkPages(server, invitationService, passwordService, joined);
  registerSessionRoutes(server, guards, createSessionRepository(store, clock, adminLog), people);
  registerEndedSessions(server, guards, store, clock);
  const environments = createEnvironmentRepository(store, clock, adminLog);
  registerEnvironmentRoutes(server, guards, createEnvironmentService(environments, identity, random));
  registerKeyRoutes(server, guards, provider.keyring);
  registerAgentRegistration(server, guards.registration, provider.signIns, logger);
  const { groups } = registerProvisioning(server, store, guards, { adminLog, origin }, options);
  const callbackUrl = () => `${origin()}${companyCallbackPath}`;
  registerCompanySignOnRoute(server, guards, companySignOn, { origin, callbackUrl });
  const company = companySignOn && {
    signOn: createCompanySignOn(companySignOn, callbackUrl),
    people: createCompanyPeople(passwords, invitations),
    groups,
    underWay: createSignOnRepository(store, clock),
    logger,
  };
  const { openProvider, findAccount, findAccountInSignIn } = provider;
  const browsers = { openProvider, findAccount };
  const { factors, firstFactors } = registerFactors(
    server,
    store,
    guards,
    { people, tries, adminLog, origin },
    options,
  );
  registerFactorSettings(server, { factors, ...browsers, clock, random });
  registerSignInRoutes(server, {
    ...{ identity, tokens, passwords: passwordService, store: provider.signIns, links, joined, company },
    ...{ ...browsers, findAccountInSignIn, factors, firstFactors, clock },
  });
  if (links) registerSignInLinks(server, guards, { links, people, openProvider, random });
  registerAuthorizationRoutes(server, guards, { identity, rights, tokens, ...browsers });
  registerPrintedTokenRoutes(server, guards, tokens);
  registerTokenRoutes(server, identity, tokens, browsers, clock);
}
