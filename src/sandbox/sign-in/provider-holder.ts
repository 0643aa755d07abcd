import type { Provider } from 'oidc-provider';

/** The provider, made when it is first needed: its address is known only once the platform listens. */
export type OpenProvider = () => Promise<Provider>;

export function createProviderHolder(open: () => Promise<Provider>): OpenProvider {
  let opening: Promise<Provider> | undefined;
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
}
