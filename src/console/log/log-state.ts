/** The two logs: what people did in an environment, and how the project was changed. */
export type LogKind = 'activity' | 'admin';

/** The filters of each log, as the API and the address of the page name them, in the order of the form. */
export const filterNames = {
  activity: [
    ...(['userEmail', 'action', 'status', 'collectionName', 'recordId', 'createdAt.gte', 'createdAt.lt'] as const),
    ...(['type', 'teamName', 'userId', 'client', 'tool', 'correlationId'] as const),
  ],
  admin: ['userEmail', 'resource', 'type', 'createdAt.gte', 'createdAt.lt', 'initiator', 'userId'],
} as const;

/** The first of them, which the form always shows. */
export const usualFilters = { activity: 7, admin: 5 } as const;

/** What an activity log can hold. The API knows more words, which no row has. */
export const keptActions = [
  ...(['create', 'read', 'update', 'delete', 'action', 'search', 'filter', 'listRelatedData'] as const),
  ...(['describeCollection', 'index', 'export', 'createNote', 'createMessage', 'updateNote', 'deleteNote'] as const),
];

export type LogFilterName = (typeof filterNames)[LogKind][number];

/** What the screen shows. All of it is in the address, so that a link shows the same. */
/** `order` is `asc` for the oldest row first. */
export type LogState = { readonly [Name in LogFilterName | 'environment' | 'order']?: string };

/** Changes parts of the state; `undefined` takes a part away. */
export type ChangeLog = (change: { readonly [Name in keyof LogState]?: string | undefined }) => void;

const known: readonly (keyof LogState)[] = [...filterNames.activity, ...filterNames.admin, 'environment', 'order'];

/** The state that an address names. What the address has besides is left out. */
export function readLogState(search: Readonly<Record<string, unknown>>): LogState {
  const entries = known.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The filters of an address that a log has. */
export function filtersOf(kind: LogKind, state: LogState): Readonly<Record<string, string>> {
  const names: readonly LogFilterName[] = filterNames[kind];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = state[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** What both logs have in common, for the way to the other one. Types of acts are not types of changes. */
export function stateOfOther({
  userEmail,
  userId,
  'createdAt.gte': since,
  'createdAt.lt': until,
  environment,
}: LogState): LogState {
  return readLogState({ userEmail, userId, 'createdAt.gte': since, 'createdAt.lt': until, environment });
}

/** A log at the platform. */
export interface LogSource {
  readonly kind: LogKind;
  readonly project: string;
  readonly environment: string;
}

/** The address of what the platform says of a project. */
export function projectPath(project: string): string {
  return `/console/v1/project/${encodeURIComponent(project)}`;
}

/** The address of a log at the platform, which a page reads. */
export function logPath({ kind, project, environment }: LogSource): string {
  const place = projectPath(project);
  if (kind === 'admin') return `${place}/admin-logs`;
  return `${place}/environment/${encodeURIComponent(environment)}/activity-logs`;
}

/** What a page asks for of each row. */
export const expansions: Readonly<Record<LogKind, string>> = {
  activity: 'status,source,changes,integrity',
  admin: 'source,integrity',
};
