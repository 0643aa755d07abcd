import { type QueryClient, useQuery, useQueryClient, useQueryErrorResetBoundary } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  Outlet,
  redirect,
  useParams,
  useRouter,
} from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import type { DeliveriesState } from '../deliveries/deliveries-state.ts';
import { Button, Empty, Failure, look, Missing, Notice, RefusalHelp } from '../design/first-controls.tsx';
import { readListState } from '../grid/list-state.ts';
import { ListScreen } from '../list/list-screen.tsx';
import type { LogState } from '../log/log-state.ts';
import { useFirstMessages } from '../messages/index.ts';
import { inboxQuery } from '../model/inbox.ts';
import { approvalsQuery } from '../model/known-approvals.ts';
import { lastCollection } from '../model/last-list.ts';
import { mayManagePeople, mayReadRights, meQuery, reachableEnvironments } from '../model/me.ts';
import { schemaQuery } from '../model/schema.ts';
import { readRightsState } from '../rights/rights-state.ts';
import { RequestFailed } from '../wire/http.ts';
import { signedInPath } from '../wire/session.ts';
import { Shell } from './shell.tsx';

interface RouterContext {
  readonly queryClient: QueryClient;
}

const LazyWhyRefused = lazy(async () => ({ default: (await import('../rights/why-refused.tsx')).WhyRefused }));

const AgentlessScreen = lazy(async () => ({ default: (await import('./agentless-screen.tsx')).AgentlessScreen }));

/** The texts of an address. The screen knows which of them it reads. */
function textsOf<State extends { readonly [Name in keyof State]?: string }>(
  search: Readonly<Record<string, unknown>>,
): State {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => typeof value === 'string')) as State;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => (
    <RefusalHelp value={WhyRefused}>
      <Outlet />
    </RefusalHelp>
  ),
  notFoundComponent: Missing,
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: signedInPath.replace('/console', ''),
  component: SignedInScreen,
});

/** `/` leads to the environment that the session is of, or to one that has an agent. */
const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  loader: async ({ context }) => {
    const person = await context.queryClient.ensureQueryData(meQuery);
    const reachable = reachableEnvironments(person);
    const own = reachable.find(({ name }) => name === person.environment);
    const first = own ?? reachable.find(({ type }) => type === 'production') ?? reachable[0];
    throw redirect({ to: '/$environment', params: { environment: first?.name ?? person.environment } });
  },
});

const environmentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/$environment',
  loader: ({ context, params }) =>
    Promise.all([
      context.queryClient.ensureQueryData(meQuery),
      // People, rights and deliveries are there without an agent. Its error is in the screens that need it.
      context.queryClient.prefetchQuery(schemaQuery(params)),
    ]),
  component: Shell,
});

/** An environment opens with the collection that somebody has used last. */
const firstRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/',
  loader: async ({ context, params }) => {
    const { collections, firstCollection } = await context.queryClient.ensureQueryData(schemaQuery(params));
    const last = lastCollection(params.environment);
    const collection = collections.some(({ name }) => name === last) ? last : firstCollection;
    if (collection) {
      throw redirect({ to: '/$environment/data/$collection', params: { ...params, collection }, replace: true });
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
  component: lazyRouteComponent(() => import('../record/record-form.tsx'), 'NewRecordScreen'),
});

const importRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/import/$collection',
  component: lazyRouteComponent(() => import('../import/import-screen.tsx'), 'ImportScreen'),
});

const chartsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/charts',
  component: lazyRouteComponent(() => import('../chart/charts-screen.tsx'), 'ChartsScreen'),
});

const dashboardRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/dashboards/$dashboard',
  component: lazyRouteComponent(() => import('../chart/dashboard-screen.tsx'), 'DashboardScreen'),
});

const inboxRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/inbox',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(inboxQuery(params)),
  component: lazyRouteComponent(() => import('../notes/inbox-screen.tsx'), 'InboxScreen'),
});

const approvalsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/approvals',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(approvalsQuery(params)),
  component: lazyRouteComponent(() => import('../approval/approvals-screen.tsx'), 'ApprovalsScreen'),
});

const approvalRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/approvals/$approval',
  loader: ({ context, params }) => context.queryClient.ensureQueryData(approvalsQuery(params)),
  component: lazyRouteComponent(() => import('../approval/approval-screen.tsx'), 'ApprovalScreen'),
});

const peopleRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/people',
  loader: async ({ context }) => {
    // The screen says who may see it.
    if (!mayManagePeople(await context.queryClient.ensureQueryData(meQuery))) return;
    const { peopleQuery } = await import('../model/people.ts');
    await context.queryClient.ensureQueryData(peopleQuery);
  },
  component: lazyRouteComponent(() => import('../people/people-screen.tsx'), 'PeopleScreen'),
});

const rightsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/rights',
  validateSearch: readRightsState,
  loader: async ({ context, params }) => {
    if (!mayReadRights(await context.queryClient.ensureQueryData(meQuery))) return;
    const { rightsQuery } = await import('../model/rights.ts');
    await context.queryClient.ensureQueryData(rightsQuery(params));
  },
  component: lazyRouteComponent(() => import('../rights/rights-screen.tsx'), 'RightsScreen'),
});

const deliveriesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/deliveries/$part/{-$version}',
  validateSearch: textsOf<DeliveriesState>,
  component: lazyRouteComponent(() => import('../deliveries/deliveries-screen.tsx'), 'DeliveriesScreen'),
});

/** Without its part, an address leads to the first one. */
const firstDeliveriesRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/deliveries',
  beforeLoad: ({ params }) => {
    const part = { ...params, part: 'versions', version: undefined };
    throw redirect({ to: '/$environment/deliveries/$part/{-$version}', params: part, replace: true });
  },
});

const checksRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/doctor',
  component: lazyRouteComponent(() => import('../checks/checks-screen.tsx'), 'ChecksScreen'),
});

const accessRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/access/{-$part}',
  component: lazyRouteComponent(() => import('../access/access-screen.tsx'), 'AccessScreen'),
});

const insightsRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/insights',
  component: lazyRouteComponent(() => import('../insights/insights-screen.tsx'), 'InsightsScreen'),
});

const logRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/log/$kind/{-$row}',
  validateSearch: textsOf<LogState>,
  component: lazyRouteComponent(() => import('../log/log-screen.tsx'), 'LogScreen'),
});

const firstLogRoute = createRoute({
  getParentRoute: () => environmentRoute,
  path: '/log',
  beforeLoad: ({ params }) => {
    const kind = { ...params, kind: 'activity', row: undefined };
    throw redirect({ to: '/$environment/log/$kind/{-$row}', params: kind, replace: true });
  },
});

const routeTree = rootRoute.addChildren([
  signedInRoute,
  startRoute,
  environmentRoute.addChildren([
    firstRoute,
    listRoute,
    recordRoute,
    newRecordRoute,
    importRoute,
    chartsRoute,
    dashboardRoute,
    inboxRoute,
    approvalsRoute,
    approvalRoute,
    peopleRoute,
    rightsRoute,
    firstDeliveriesRoute,
    deliveriesRoute,
    accessRoute,
    checksRoute,
    insightsRoute,
    firstLogRoute,
    logRoute,
  ]),
]);

export function createConsoleRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context: { queryClient },
    defaultErrorComponent: ErrorScreen,
    defaultPendingComponent: WaitingScreen,
    defaultNotFoundComponent: Missing,
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

/** What somebody may do, and why, beside each refusal. */
function WhyRefused({ refusal }: { readonly refusal: RequestFailed }) {
  return (
    <Suspense>
      <LazyWhyRefused refusal={refusal} />
    </Suspense>
  );
}

/** Nobody gave the person a collection to see. */
function EmptyScreen() {
  const messages = useFirstMessages();
  const { environment } = useParams({ from: '/$environment' });
  return <Empty title={messages.noCollections} why={messages.noCollectionsWhy(environment)} />;
}

/** Replaces a screen that is on its way. The frame around it stays. */
function WaitingScreen() {
  return (
    <p role="status" className={look.late}>
      {useFirstMessages().loading}
    </p>
  );
}

/** Where the window of the sign-in ends: the page that opened it goes on. */
function SignedInScreen() {
  const messages = useFirstMessages();
  const client = useQueryClient();
  useEffect(() => void client.fetchQuery(meQuery).then(() => window.close()), [client]);
  return <Empty title={messages.signedIn} />;
}

/** What kept a screen from being shown. A part of the console that an upgrade has removed asks for a reload. */
function ErrorScreen({ error: thrown, reset }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const messages = useFirstMessages();
  const router = useRouter();
  const { data: person } = useQuery(meQuery);
  const failed = useQueryErrorResetBoundary();
  const retry = () => {
    // A query that has failed would throw its error again, unasked.
    failed.reset();
    reset();
    void router.invalidate();
  };
  if (isMissingPart(error)) {
    return (
      <Notice title={messages.newVersion} kind="warning">
        <div>
          <Button onClick={() => location.reload()}>{messages.reload}</Button>
        </div>
      </Notice>
    );
  }
  if (error instanceof RequestFailed && error.status === 404) {
    const asked = person?.environments.find(({ name }) => name === error.asked?.environment);
    if (!person || asked?.agent !== null) return <Missing />;
    return (
      <Suspense>
        <AgentlessScreen person={person} environment={asked.name} />
      </Suspense>
    );
  }
  return <Failure error={error} onRetry={retry} />;
}

/** Browsers say it each in their own words; all of them name the import. */
function isMissingPart({ message }: Error): boolean {
  return /dynamically imported module|importing a module script/i.test(message);
}
