import type { SignedIn, SignedOut } from '#flows/sign-in/logout';
import type { Terminal } from './terminal.ts';

export function renderLogin(signedIn: SignedIn, { resultStyle }: Terminal): string {
  const { email, serverUrl, project, environment, expiresAt, place } = signedIn;
  const until = expiresAt === null ? '' : `, until ${expiresAt.slice(0, 10)}`;
  return [
    `${resultStyle.green('✔')} Signed in to ${serverUrl} as ${resultStyle.bold(email)}${until}.`,
    `  Commands are about the project ${resultStyle.bold(project)}, and its environment ${environment} unless --env names another one.`,
    `  The token is in ${place === 'keychain' ? 'the keychain of the system' : 'a file that you alone can read'}.`,
  ].join('\n');
}

export function renderLogout(result: SignedOut, { resultStyle }: Terminal): string {
  const { serverUrl, wasSignedIn } = result;
  return wasSignedIn
    ? `${resultStyle.green('✔')} ${result.email} is signed out of ${serverUrl}.`
    : `Not signed in to ${serverUrl}. Sign out of another platform: vendor-cloud logout --server-url <url>`;
}
