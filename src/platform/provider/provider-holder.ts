import type { Provider } from 'oidc-provider';
import type { SignInKeyring, SignInKeys } from './provider-keys.ts';

/** The provider with the keys that hold now. Any process may have made new ones since the request before. */
export type OpenProvider = () => Promise<Provider>;

/** @param create is called when the provider is first needed: its address is known only once the platform listens. */
export function createProviderHolder(
  keyring: SignInKeyring,
  create: (keys: SignInKeys) => Promise<Provider>,
): OpenProvider {
  let held: { readonly version: string; readonly provider: Promise<Provider> } | undefined;
  return async () => {
    const keys = await keyring.current();
    if (held?.version !== keys.version) {
      const opening = { version: keys.version, provider: create(keys) };
      held = opening;
      opening.provider.catch(() => {
        if (held === opening) held = undefined;
      });
    }
    return held.provider;
  };
}
