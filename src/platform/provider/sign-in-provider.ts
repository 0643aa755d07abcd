import { signInIssuerPath } from '#contracts/sign-in';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { createSealedTexts } from '#node/system/secrets';
import type { AdminLog } from '../audit/admin-log.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { createAccounts, type FindAccount, type NeedsSecondFactor } from './accounts.ts';
import type { SignedInBrowsers } from './browser-session.ts';
import type { DeviceLimits } from './device-limits.ts';
import { createProviderHolder } from './provider-holder.ts';
import { createPassingKeyring, createSignInKeyring, type SignInKeyring } from './provider-keys.ts';
import { createSignInStore, type SignInStore } from './provider-store.ts';

/** The OpenID provider, and what it works with. */
export interface SignInProvider extends SignedInBrowsers {
  readonly signIns: SignInStore;
  readonly keyring: SignInKeyring;
  /** Finds those too whose second factor is still to come. */
  readonly findAccountInSignIn: FindAccount;
}

export interface SignInProviderParts {
  readonly identity: IdentityRepository;
  readonly tokens: TokenService;
  readonly adminLog: AdminLog;
  readonly needsSecondFactor: NeedsSecondFactor;
  /** What addresses of the platform begin with, once it listens. */
  readonly origin: () => string;
}

export interface SignInProviderOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** What the keys are sealed under. Without it they end with the process. */
  readonly platformKey?: string;
}

export function createSignInProvider(
  store: Store,
  { identity, tokens, adminLog, needsSecondFactor, origin }: SignInProviderParts,
  { clock, random, logger, platformKey }: SignInProviderOptions,
): SignInProvider {
  const signIns = createSignInStore(store, clock);
  const keyring =
    platformKey === undefined
      ? createPassingKeyring({ store, adminLog, random })
      : createSignInKeyring({
          store,
          sealed: createSealedTexts(platformKey, 'keys of the sign-in'),
          adminLog,
          clock,
          random,
        });
  const { findAccount, findAccountInSignIn } = createAccounts(identity, tokens, needsSecondFactor);
  // The limits hold on when the keys change, and with them the provider.
  let deviceLimits: DeviceLimits | undefined;
  const openProvider = createProviderHolder(keyring, async (keys) => {
    const [{ createProvider }, { createDeviceLimits }] = await Promise.all([
      import('./create-provider.ts'),
      import('./device-limits.ts'),
    ]);
    deviceLimits ??= createDeviceLimits(clock);
    const services = { store: signIns, findAccount, deviceLimits, logger };
    return createProvider(`${origin()}/${signInIssuerPath}`, services, keys);
  });
  return { signIns, keyring, openProvider, findAccount, findAccountInSignIn };
}
