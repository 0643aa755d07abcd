import path from 'node:path';
import type { SignInLink } from '#contracts/sign-in';
import type { DevEvent } from '#flows/dev/dev-event';
import type { CloudError } from '#kernel/errors/cloud-error';
import { singleLine } from '../terminal/table.ts';
import type { LiveTerminal, Terminal } from '../terminal/terminal.ts';
import { renderTypeErrors } from './render-checks.ts';
import { renderError } from './render-error.ts';
import { renderAgentLog } from './render-log-lines.ts';
import { leftOutLines } from './render-permissions.ts';
import { noteSignInLink } from './render-sign-in.ts';
import { tableChangesText } from './render-table-changes.ts';

type Ready = Extract<DevEvent, { event: 'ready' }>;

export interface DevScreen {
  show(event: DevEvent): void;
  showTokens(): void;
  /** How a browser signs in at the platform. */
  showSignIn(link: SignInLink | undefined): void;
  showKeys(): void;
  /** Take the line with the keys away. */
  close(): void;
}

interface ScreenOptions {
  readonly version: string;
  readonly workingFolder: string;
  /** Whether somebody can press keys. */
  readonly hasKeys: boolean;
}

/** The screen of a session, for a person. */
export function createDevScreen(terminal: LiveTerminal, options: ScreenOptions): DevScreen {
  const { style } = terminal;
  let ready: Ready | undefined;
  /** What requests met last, and how many more have met the same since: a database that is away fails all of them. */
  let failure = { text: '', more: 0 };
  const show = (event: DevEvent): void => {
    if (event.event === 'ready') ready = event;
    const texts = textsOf(event, ready !== undefined, terminal, options);
    const [text = ''] = event.event === 'request-failed' ? texts : [];
    if (text !== '' && text === failure.text) {
      failure.more += 1;
      return;
    }
    if (failure.more > 0) terminal.note(style.dim(`  The same error met ${failure.more} more requests.`));
    failure = { text, more: 0 };
    for (const each of texts) terminal.note(each);
    if (event.event === 'ready' && options.hasKeys) terminal.pin(keysLine(style));
  };
  const showTokens = () => {
    if (!ready) return;
    terminal.note(`  Agent token  ${ready.token}\n  MCP token    ${ready.mcp.token}`);
  };
  const showSignIn = (link: SignInLink | undefined) => {
    if (link) noteSignInLink(link, terminal);
    else terminal.note(`  Sign in at ${ready?.sandbox.url} with your own account.`);
  };
  return {
    show,
    showTokens,
    showSignIn,
    showKeys: () => terminal.note(keysLine(style)),
    close: () => terminal.pin(''),
  };
}

/** An event as a person reads it. */
function textsOf(
  event: DevEvent,
  isReady: boolean,
  terminal: Terminal,
  { version, workingFolder, hasKeys }: ScreenOptions,
): readonly string[] {
  const { style } = terminal;
  const relative = (file: string) => path.relative(workingFolder, file);
  const errorText = (error: CloudError) => renderError(terminal, error, { workingFolder, isDebug: false });
  switch (event.event) {
    case 'ready':
      return [renderReady(event, terminal, { version, hasKeys })];
    case 'reloaded':
      return [`${style.green('✔')} Reloaded in ${event.ms} ms`];
    case 'error':
      return [errorText(event.error), style.dim(isReady ? servedSince(event.serves) : '  Waiting for a change …')];
    case 'request-failed':
      return [errorText(event.error)];
    case 'restarted':
      return [`${style.yellow('↻')} A new worker serves.`];
    case 'tables-changed':
      return [`${style.yellow('↻')} The tables have changed: ${tableChangesText(event.changes)}`];
    case 'warning':
      return [`${style.yellow('!')} ${event.message}`];
    case 'typings':
      return [style.dim(`  ${relative(event.path)} written`)];
    case 'types':
      return [renderTypeErrors(event.errors, terminal, workingFolder)];
    case 'log':
      return [renderAgentLog(event, terminal)];
    case 'permissions':
      return [
        `${style.green('✔')} ${relative(event.path)} holds (revision ${event.revision})`,
        ...leftOutLines(event, style),
      ];
    case 'output':
      return [event.text.trimEnd()];
    case 'stopped':
      return ['Stopped.'];
    default:
      return unreachable(event);
  }
}

const keys = [
  ['r', 'reload'],
  ['o', 'sign in'],
  ['t', 'tokens'],
  ['?', 'keys'],
  ['q', 'quit'],
] as const;

function keysLine(style: Terminal['style']): string {
  return `  ${keys.map(([key, what]) => `${style.bold(key)} ${style.dim(what)}`).join('   ')}`;
}

/** What requests get after an error. */
function servedSince(serves: Extract<DevEvent, { event: 'error' }>['serves']): string {
  if (serves === 'part') return '  Everything else of the last good version is served.';
  if (serves === 'nothing') return '  Requests are answered with 503 until a save loads.';
  return '  The last good version keeps serving.';
}

function renderReady(
  event: Ready,
  { style }: Terminal,
  { version, hasKeys }: Pick<ScreenOptions, 'version' | 'hasKeys'>,
): string {
  const collection = event.collections.includes('customers') ? 'customers' : (event.collections[0] ?? '');
  const url = `${event.agent.url}/${encodeURI(collection)}?timezone=UTC&page[size]=2`;
  const way = hasKeys ? 'press o for a link that signs you in' : 'sign in with: vendor-cloud sign-in-link';
  return [
    '',
    `  ${style.bold('vendor-cloud')} ${version}  ${style.dim(event.project.path)}`,
    '',
    `  Console   ${style.cyan(event.console.url)}${event.sandbox.isLocal ? `  ${style.dim(way)}` : ''}`,
    `  Agent     ${style.cyan(event.agent.url)}`,
    `  Platform  ${style.cyan(event.sandbox.url)}`,
    `  MCP       ${style.cyan(event.mcp.url)}`,
    ...(event.as ? ['', servedAs(event.as, event.sandbox, style)] : []),
    '',
    style.dim('  Try it (the token is good for an hour):'),
    `  curl -g -H "Authorization: Bearer ${event.token}" "${url}"`,
    '',
    style.dim('  Save a file of the project and the agent has the change.'),
  ].join('\n');
}

function servedAs(
  { email, roles, team }: NonNullable<Ready['as']>,
  { isLocal }: Ready['sandbox'],
  style: Terminal['style'],
): string {
  const who = email.endsWith('@role.invalid') ? 'somebody' : singleLine(email);
  return `  ${style.yellow('!')} Served as ${style.bold(who)}, ${roles.length === 1 ? 'role' : 'roles'} ${singleLine(roles.join(', '))}, team ${singleLine(team)}: ${isLocal ? 'permissions.json' : 'the platform'} restricts it.`;
}

function unreachable(event: never): never {
  throw new Error(`Unhandled event ${JSON.stringify(event)}`);
}
