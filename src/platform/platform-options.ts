import type { FastifyInstance } from 'fastify';
import type { Check } from '#contracts/checks';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { MailServer } from '#kernel/ports/mailer';
import type { Random } from '#kernel/ports/random';
import type { WantedPort } from '#kernel/ports/tcp';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import type { Guards, ResolveEnvironment } from './access/guards.ts';
import type { AgentRepository } from './agents/agent-repository.ts';
import type { AdminLog } from './audit/admin-log.ts';
import type { Retention } from './audit/retention.ts';
import type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
import type { DevEvents } from './console/event-routes.ts';
import type { CustomizationRepository } from './customizations/customizations.ts';
import type { CheckDeployment } from './deployments/platform-check.ts';
import type { EventHub } from './events/event-hub.ts';
import type { IdentityRepository, ReachAgent, WebhookOriginsOf } from './identity/identity-repository.ts';
import type { IpRuleRepository } from './ip-rules/ip-rule-repository.ts';
import type { PasswordCost } from './passwords/password-hash.ts';
import type { EnvironmentPermissionsOf, PermissionService } from './permissions/permission-service.ts';
import type { RightsRepository } from './rights/rights-repository.ts';
import type { SchemaRepository } from './schemas/schemas.ts';
import type { TeamOptions } from './server/team-options.ts';
import type { StoreAddress } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import type { TokenService } from './tokens/token-service.ts';

export interface PlatformOptions {
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
   * Without it, the platform keeps no variables, and who signs in has to do so again when it starts again.
   */
  readonly platformKey?: string;
  /** What the hash of a password takes. Default: what OWASP recommends at the least. */
  readonly passwordCost?: PasswordCost;
  /** The provider of the company whose people sign in with the accounts they have there. */
  readonly companySignOn?: CompanySignOnOptions;
  /** Takes the mails about approvals. Default: the platform sends none. */
  readonly mailServer?: MailServer;
  /** Checks a deployment where no host is connected. Rejects with what is wrong. Default: it is not checked. */
  readonly checkDeployment?: CheckDeployment;
  /** What callers of the public API may ask for. Default: 60 requests a minute, 1,000 an hour and 10,000 a day. */
  readonly ratePolicies?: readonly RatePolicy[];
  /** A file outside of the store to which every checkpoint of the audit log is added. Default: none. */
  readonly checkpointFile?: string;
  /** How long the rows of the audit log are kept. Default: for ever. */
  readonly retention?: Retention;
  /** What a platform of a team has beside that. Default: it is the local platform of one person. */
  readonly team?: TeamOptions;
  /** Sign browsers of this machine in by one-time links: the platform of one developer. Default false. */
  readonly hasSignInLinks?: boolean;
  /** Where the platform itself reaches agents, for what the console asks them. Default: nowhere. */
  readonly reachAgent?: ReachAgent;
  /** The origins that the pages of the console may call for an agent. Default: those that agents send with their schema. */
  readonly webhookOriginsOf?: WebhookOriginsOf;
  /** What a development session says, for the pages of its console. Default: nobody develops here. */
  readonly devEvents?: DevEvents;
  /** Looks at what the platform stands on, for the pages of its console. Default: nobody looks. */
  readonly examine?: () => Promise<readonly Check[]>;
  /** The folder of the console that the build has written. Default: that of this package. */
  readonly consoleFolder?: string;
  /** What a platform for tests does differently. Default: nothing. */
  readonly testSwitches?: (parts: PlatformParts) => TestSwitches;
  /** Called with the server before anything else looks at a request. */
  readonly observe?: (server: FastifyInstance) => void;
}

/** The parts that the services of a platform share. */
export interface PlatformParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly schemas: SchemaRepository;
  readonly rights: RightsRepository;
  readonly permissions: PermissionService;
  readonly ipRules: IpRuleRepository;
  readonly customizations: CustomizationRepository;
  readonly agents: AgentRepository;
  readonly events: EventHub;
}

/** What a platform for tests decides in another way, and what tests control it with. */
export interface TestSwitches {
  readonly resolveEnvironment: ResolveEnvironment;
  readonly environmentPermissions: EnvironmentPermissionsOf;
  registerRoutes(server: FastifyInstance, guards: Guards): void;
}
