import type { Held } from '#contracts/memberships';
import type { SignInLink } from '#contracts/sign-in';
import type { SignedIn, SignedOut } from '#flows/sign-in/logout';
import type { WhoAmI } from '#flows/sign-in/who-am-i';
import type { TokenInHand } from '#flows/tokens/print-token';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Invocation } from '../invocation/invocation.ts';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function renderLogin(signedIn: SignedIn, { resultStyle }: Terminal): string {
  const { email, serverUrl, project, environment, expiresAt, place } = signedIn;
  const until = expiresAt === null ? '' : `, until ${expiresAt.slice(0, 10)}`;
  return [
    `${resultStyle.green('✔')} Signed in to ${serverUrl} as ${resultStyle.bold(email)}${until}.`,
    `  Commands are about the project ${resultStyle.bold(project)}, and its environment ${environment} unless --env names another one.`,
    `  The token is in ${place === 'keychain' ? 'the keychain of the system' : 'a file that only you can read'}.`,
  ].join('\n');
}

export function renderLogout(result: SignedOut, { resultStyle }: Terminal): string {
  const { serverUrl, wasSignedIn } = result;
  return wasSignedIn
    ? `${resultStyle.green('✔')} ${result.email} is signed out of ${serverUrl}.`
    : `Not signed in to ${serverUrl}. Sign out of another platform: vendor-cloud logout --server-url <url>`;
}

/** Only the link, so that a script can take it as it is. */
export function renderSignInLink({ link }: SignInLink): string {
  return link;
}

/** The link for a person, who opens it: as an argument of a program it would be seen by others on the machine. */
export function noteSignInLink({ link }: SignInLink, { style, note }: Terminal): void {
  note('  Open this in a browser on this machine to sign in. It is good once, for a minute:');
  note(`  ${style.cyan(link)}`);
}

const sources: Readonly<Record<WhoAmI['source'], string>> = {
  variable: 'the variable SERVICE_AUTH_TOKEN',
  '.env': 'SERVICE_AUTH_TOKEN in the .env file of the project',
  'dev session': 'the running "vendor-cloud dev" of this project',
  keychain: 'the keychain of the system',
  file: 'the file of tokens that "vendor-cloud login" keeps',
};

/** Names, each with where it comes from unless an administrator gave it for good. */
export function heldInWords(held: readonly (Held & { readonly environment?: string | undefined })[]): string {
  return held.map((each) => singleLine([each.name, ...originOf(each)].join(' '))).join(', ');
}

function originOf({
  source,
  group,
  endsAt,
  environment,
}: Parameters<typeof heldInWords>[0][number]): readonly string[] {
  const parts = [
    ...(group === undefined ? [] : [`group ${group}`]),
    ...(source === 'elevation' ? ['elevation'] : []),
    ...(environment === undefined ? [] : [`in ${environment}`]),
    ...(endsAt === undefined ? [] : [`until ${endsAt.slice(0, 16).replace('T', ' ')}`]),
  ];
  return parts.length === 0 ? [] : [`(${parts.join(', ')})`];
}

export function renderWhoAmI(who: WhoAmI, { resultStyle }: Terminal): string {
  const { user, serverUrl, project, environment, team, roles, teams, source, expiresAt } = who;
  const rows = [
    ['Platform', serverUrl],
    ['Project', project],
    ['Environment', environment],
    ...(roles.length > 0 ? [['Role', heldInWords(roles)]] : []),
    ['Team', teams.length > 1 ? heldInWords(teams) : team],
    ['Token', `from ${sources[source]}`],
    ['Expires', expiresAt === null ? 'not known' : expiresAt.slice(0, 16).replace('T', ' ')],
  ];
  return [
    `${resultStyle.bold(user.name)} <${user.email}>`,
    ...rows.map(([name = '', value = '']) => `  ${name.padEnd(11)}  ${value}`),
  ].join('\n');
}

/** Only the token, so that a shell can take it as it is. */
export function renderToken({ token }: TokenInHand): string {
  return token;
}

/** What a person should know about a new token, beside it. */
export function noteToken({ audience, url, expiresAt, readOnly }: TokenInHand, { note, style }: Terminal): void {
  const end = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  note(
    `${style.green('✔')} A token for ${style.bold(audiences[audience])} at ${url}${readOnly ? ', which only reads' : ''}, until ${end}.`,
  );
}

const audiences: Record<TokenInHand['audience'], string> = {
  agent: 'the agent',
  mcp: 'the MCP server',
  platform: 'the platform',
};

/** A terminal keeps what it shows, and people look at it. Throws `USAGE_INVALID` where stdout is one, unless `--show` was given. */
export function refuseTerminal(
  { environment }: { readonly environment: Pick<Invocation['environment'], 'isOutputTerminal'> },
  audience: string,
  isShown: boolean,
): void {
  if (!environment.isOutputTerminal || isShown) return;
  throw cloudError('USAGE_INVALID', 'The token would be shown on the terminal. No token was made.', [
    `Take it into a variable: TOKEN=$(vendor-cloud tokens print ${audience})`,
    'Or add --show to see it.',
  ]);
}
