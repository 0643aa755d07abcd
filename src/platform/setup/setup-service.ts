import type { SetupInput, SetupResult } from '#contracts/setup';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { fullNameOf } from '#kernel/text/full-name';
import { sha256Hex } from '#node/system/digest';
import type { AdminLog } from '../audit/admin-log.ts';
import type { PasswordHashes } from '../passwords/password-hash.ts';
import { refuseEmailAsPassword } from '../passwords/password-service.ts';
import type { Store } from '../store/store.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { createSetupRepository } from './setup-repository.ts';

export interface SetupLink {
  readonly secret: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Lets the first administrator in. */
export interface SetupService {
  /** A new link; `undefined` once the platform has people. */
  makeLink(): Promise<SetupLink | undefined>;
  /** Make administrator, project and environments. Rejects with `REQUEST_FORBIDDEN`; the link works once. */
  setUp(input: SetupInput, address: string | undefined): Promise<SetupResult>;
}

const linkLifetimeMs = 60 * 60 * 1000;
const tokenLifetimeMs = 24 * 60 * 60 * 1000;

const firstEnvironments = [
  { name: 'development', type: 'development' },
  { name: 'staging', type: 'production' },
  { name: 'production', type: 'production' },
] as const;

export interface SetupParts {
  readonly tokens: TokenService;
  readonly hashes: PasswordHashes;
  readonly adminLog: AdminLog;
  readonly clock: Clock;
  readonly random: Random;
}

export function createSetupService(
  store: Store,
  { tokens, hashes, adminLog, clock, random }: SetupParts,
): SetupService {
  const repository = createSetupRepository(store, clock, adminLog);
  return {
    async makeLink() {
      const link = { secret: random.hex(32), expiresAt: clock.now() + linkLifetimeMs };
      return (await repository.keepLink(sha256Hex(link.secret), link.expiresAt)) ? link : undefined;
    },
    async setUp({ secret, name, email, password, project }, address) {
      refuseEmailAsPassword(password, email);
      // A hash takes half a second of a core, so only who has the link gets one.
      await repository.checkLink(secret);
      const environments = firstEnvironments.map((environment) => ({ ...environment, secret: random.hex(32) }));
      const [firstName = '', ...rest] = name.split(/\s+/);
      const lastName = rest.join(' ');
      const made = await repository.setUp(
        secret,
        { firstName, lastName, email, passwordHash: await hashes.hash(password), address },
        {
          name: project,
          environments: environments.map(({ secret: own, ...environment }) => ({
            ...environment,
            secretHash: sha256Hex(own),
          })),
        },
      );
      const owner = { userId: made.userId, environmentId: made.environmentIds[0] as number, hasSecondFactor: false };
      return {
        user: { id: made.userId, name: fullNameOf({ firstName, lastName }), email },
        project: { id: made.projectId, name: project },
        environments,
        userToken: await tokens.issue(owner, 'setup', tokenLifetimeMs, address),
      };
    },
  };
}
