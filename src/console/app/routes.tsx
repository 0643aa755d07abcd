import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readListState } from '../grid/list-state.ts';
import { ListScreen } from '../list/list-screen.tsx';
import { meQuery } from '../model/me.ts';
import { schemaQuery } from '../model/schema.ts';
import { signedInPath } from '../wire/session.ts';
import { EmptyScreen, ErrorScreen, MissingScreen, SignedInScreen } from './plain-screens.tsx';
import { Shell } from './shell.tsx';

interface RouterContext {
  readonly queryClient: QueryClient;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ notFoundComponent: MissingScreen });

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: signedInPath.replace('/console', ''),
  component: SignedInScreen,
});

/** `/` leads to the environment that the session is of. */
const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  loader: async ({ context }) => {
    const { environment } = await context.queryClient.ensureQueryData(meQuery);
    throw redirect({ to: '/$environment', params: { environment } });
  },
});

const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$environment',
  loader: ({ context, params }) =>
    Promise.all([
      context.queryClient.ensureQueryData(meQuery),
      context.queryClient.ensureQueryData(schemaQuery(params)),
    ]),
  component: Shell,
});

/** An environment opens with its first collection. */
const firstRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/',
  loader: async ({ context, params }) => {
    const { collections } = await context.queryClient.ensureQueryData(schemaQuery(params));
    const [first] = collections;
    if (first) {
      throw redirect({
        to: '/$environment/data/$collection',
        params: { ...params, collection: first.name },
        replace: true,
      });
    }
  },
  component: EmptyScreen,
});

const listRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/data/$collection',
  validateSearch: readListState,
  component: ListScreen,
});

const recordRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/data/$collection/$id',
  component: lazyRouteComponent(() => import('../record/record-screen.tsx'), 'RecordScreen'),
});

const newRecordRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/new/$collection',
  component: lazyRouteComponent(() => import('../record/new-record-screen.tsx'), 'NewRecordScreen'),
});

const chartsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/charts',
  component: lazyRouteComponent(() => import('../chart/charts-screen.tsx'), 'ChartsScreen'),
});

const routeTree = rootRoute.addChildren([
  signedInRoute,
  startRoute,
  environmentRoute.addChildren([firstRoute, listRoute, recordRoute, newRecordRoute, chartsRoute]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { queryClient },
    defaultErrorComponent: ErrorScreen,
    defaultNotFoundComponent: MissingScreen,
    defaultPendingMs: 300,
    defaultPreload: 'intent',
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const known = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      return known.length === 0 ? '' : `?${new URLSearchParams(known)}`;
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
