import type { SignedIn } from '#flows/login/signed-in';
import type { Terminal } from './terminal.ts';

export function renderLogin(signedIn: SignedIn, { resultStyle }: Terminal): string {
  const { email, serverUrl, project, environment, expiresAt } = signedIn;
  return [
    `${resultStyle.green('✔')} Signed in to ${serverUrl} as ${resultStyle.bold(email)}, until ${expiresAt.slice(0, 10)}.`,
    `  Commands are about the project ${resultStyle.bold(project)}, and its environment ${environment} unless --env names another one.`,
  ].join('\n');
}

export function renderLogout({ email, serverUrl }: SignedIn, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} ${email} is signed out of ${serverUrl}.`;
}
