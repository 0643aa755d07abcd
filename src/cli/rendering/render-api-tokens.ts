import { type ApiToken, scopesOfLevel } from '#contracts/api-tokens';
import type { ListedTokens, RevokedToken, TokenWithSecret } from '#flows/tokens/manage-api-tokens';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The tokens of a project, one a row, and which of them to rotate. */
export function renderTokens({ tokens, project }: ListedTokens, terminal: Terminal): string {
  if (tokens.length === 0) return `${project} has no API token yet. Make one: vendor-cloud tokens create <name>`;
  const cut = cutTextFor(terminal);
  const rows = tokens.map((token) => [
    String(token.id),
    cut(token.name, 18),
    `…${token.hint}`,
    endOf(token),
    dayOf(token.lastUsedAt, 'never'),
    scopesInWords(token),
  ]);
  const header = ['ID', 'NAME', 'SECRET', 'EXPIRES', 'LAST USED', 'SCOPES'];
  const warnings = tokens
    .filter(({ expiresSoon }) => expiresSoon)
    .map(
      ({ id }) =>
        `${terminal.resultStyle.yellow('!')} Token ${id} expires soon. Rotate it: vendor-cloud tokens rotate ${id}`,
    );
  return [renderTable(header, rows, terminal), ...(warnings.length > 0 ? ['', ...warnings] : [])].join('\n');
}

/** Only the secret, so that a script can take it as it is. */
export function renderSecret({ token }: TokenWithSecret): string {
  return token;
}

/** What a person should know about a new secret, beside it. */
export function noteNewSecret(token: TokenWithSecret, { note, style }: Terminal): void {
  const end = token.expiresAt === null ? 'It does not expire' : `It expires on ${dayOf(token.expiresAt, '')}`;
  note(
    `${style.green('✔')} Token ${style.bold(token.id)} "${singleLine(token.name)}" of ${token.project} may use: ${token.scopes.join(', ')}.`,
  );
  note(`  ${end}. Keep the secret now: it is not shown again.`);
}

export function renderRevokedToken({ id, project, isRevoked }: RevokedToken, { resultStyle }: Terminal): string {
  if (!isRevoked) return 'Nothing was changed.';
  return `${resultStyle.green('✔')} Token ${resultStyle.bold(id)} of ${project} is revoked.`;
}

function endOf({ state, expiresAt, expiresSoon }: ApiToken): string {
  if (state !== 'active') return state;
  return `${dayOf(expiresAt, 'never')}${expiresSoon ? ' !' : ''}`;
}

function dayOf(time: string | null, otherwise: string): string {
  return time?.slice(0, 10) ?? otherwise;
}

function scopesInWords({ scopes }: ApiToken): string {
  const isSet = (other: readonly string[]) =>
    other.length === scopes.length && scopes.every((each) => other.includes(each));
  if (isSet(scopesOfLevel('read-write'))) return 'read-write';
  return isSet(scopesOfLevel('read-only')) ? 'read-only' : scopes.join(' ');
}
