import type { TokenInHand } from '#flows/tokens/print-token';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** The token alone, so that a shell can take it as it is. */
export function renderToken({ token }: TokenInHand): string {
  return token;
}

/** What a person should know about a new token, beside it. */
export function noteToken({ audience, url, expiresAt, readOnly }: TokenInHand, { note, style }: Terminal): void {
  const end = `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`;
  note(
    `${style.green('✔')} A token for ${style.bold(names[audience])} at ${url}${readOnly ? ', to read alone' : ''}, until ${end}.`,
  );
}

const names: Record<TokenInHand['audience'], string> = {
  agent: 'the agent',
  mcp: 'the MCP server',
  platform: 'the platform',
};

/** A terminal keeps what it shows, and people look at it. Throws `USAGE_INVALID` where stdout is one, unless `--show` was given. */
export function refuseTerminal(
  { environment }: { readonly environment: Pick<Session['environment'], 'isOutputTerminal'> },
  audience: string,
  isShown: boolean,
): void {
  if (!environment.isOutputTerminal || isShown) return;
  throw cloudError('USAGE_INVALID', 'The token would be shown on the terminal. No token was made.', [
    `Take it into a variable: TOKEN=$(vendor-cloud tokens print ${audience})`,
    'Or add --show to see it.',
  ]);
}
