import type { ConnectedClients, RevokedClient } from '#flows/mcp/connected-clients';
import { cutTextFor } from './cut-text.ts';
import { renderTable, singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

/** As many characters of an id as people see and type. */
const shownDigits = 12;

/** The programs that are connected, one a row. */
export function renderConnectedClients({ clients, environment }: ConnectedClients, terminal: Terminal): string {
  if (clients.length === 0) return `No program is connected to the MCP server of ${environment}.`;
  const cut = cutTextFor(terminal);
  const rows = clients.map(({ id, name, person, scopes, lastTokenAt }) => [
    id.slice(0, shownDigits),
    cut(name ?? 'without a name', 18),
    cut(person.email, 22),
    lastTokenAt?.slice(0, 10) ?? 'never',
    scopes.map((scope) => scope.replace('mcp:', '')).join(' '),
  ]);
  const header = ['ID', 'PROGRAM', 'FOR', 'LAST TOKEN', 'MAY'];
  return renderTable(header, rows, terminal);
}

export function renderRevokedClient(revoked: RevokedClient, { resultStyle }: Terminal): string {
  const { id, name, environment, isRevoked } = revoked;
  if (!isRevoked) return 'Nothing was changed.';
  const program = resultStyle.bold(singleLine(name ?? id.slice(0, shownDigits)));
  return `${resultStyle.green('✔')} ${program} is no longer connected to ${environment}.`;
}
