import { type InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';
import { shareEqual } from './exact-json.ts';
import { RequestFailed } from './http.ts';

/** A platform on this machine answers without a network: requests are sent whatever the browser says of it. */
const networkMode = 'always';

/** A request that got no answer is asked again; what a server refused is not. */
function isWorthAnotherTry(tries: number, error: Error): boolean {
  return error instanceof RequestFailed && error.status === 0 && tries < 3;
}

/**
 * What the console has asked, with its answers.
 *
 * The library does not ask again for data whose first answer is still on its way.
 * That answer may be older than the change, and would stay on the screen. So this client asks again for it too.
 */
export class ConsoleQueries extends QueryClient {
  constructor() {
    super({
      defaultOptions: {
        queries: {
          networkMode,
          retry: isWorthAnotherTry,
          refetchOnWindowFocus: true,
          staleTime: 5_000,
          structuralSharing: shareEqual,
        },
        mutations: { networkMode, retry: false },
      },
    });
  }

  override invalidateQueries(filters: InvalidateQueryFilters = {}): Promise<void> {
    for (const query of this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' })) {
      if (query.state.data !== undefined) continue;
      void query.cancel({ silent: true });
      // Whoever shows the data shows its error too.
      query.fetch().catch(() => {});
    }
    return super.invalidateQueries(filters);
  }
}
