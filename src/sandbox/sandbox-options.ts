import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { WantedPort } from '#kernel/ports/wanted-port';
import type { RatePolicy } from '#kernel/rates/rate-policy';
import type { Retention } from './audit/retention.ts';
import type { CompanySignOnOptions } from './company-sign-on/company-sign-on.ts';
import type { CheckDeployment } from './deployments/platform-check.ts';
import type { TestTraffic } from './fixtures/test-traffic.ts';
import type { TeamOptions } from './operation/team-options.ts';
import type { PasswordCost } from './passwords/password-hash.ts';
import type { StoreAddress } from './store/open-store.ts';

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
  /** What the hash of a password takes. Default: what OWASP recommends at the least. */
  readonly passwordCost?: PasswordCost;
  /** The provider of the company whose people sign in with the accounts they have there. */
  readonly companySignOn?: CompanySignOnOptions;
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
  /** Answer the routes of `#contracts/test-platform` and take any environment secret. Default false. */
  readonly isForTests?: boolean;
  /** Keeps a journal of the requests, and makes them fail where a test says so. Default: no journal. */
  readonly traffic?: TestTraffic;
}
