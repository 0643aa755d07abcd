import type { SignInLink } from '#contracts/sign-in';
import type { Terminal } from './terminal.ts';

/** The link alone, so that a script can take it as it is. */
export function renderSignInLink({ link }: SignInLink): string {
  return link;
}

/** The link for a person, who opens it: as an argument of a program it would be seen by others on the machine. */
export function noteSignInLink({ link }: SignInLink, { style, note }: Terminal): void {
  note('  Open this in a browser on this machine to sign in. It is good once, for a minute:');
  note(`  ${style.cyan(link)}`);
}
