import type { CalledTool } from '#flows/mcp/call-mcp-tool';
import type { ChangedClient, ConnectedClients, RevokedClient } from '#flows/mcp/connected-clients';
import type { ListedTools } from '#flows/mcp/list-mcp-tools';
import type { ServedMcp } from '#flows/mcp/serve-mcp';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The tools, one a row, with what they do to records. */
export function renderTools({ tools, server }: ListedTools, terminal: Terminal): string {
  if (tools.length === 0) return `${singleLine(server)} shows no tools to this caller.`;
  const rows = tools.map((tool) => [
    tool.name,
    tool.isReadOnly ? 'reads' : tool.isDestructive ? 'destroys' : 'changes',
    tool.arguments.map(({ name, isRequired }) => (isRequired ? name : `[${name}]`)).join(' '),
  ]);
  return renderTable(['TOOL', 'IT', 'ARGUMENTS'], rows, terminal);
}

/** The structured result as JSON; the texts if there is no such result. */
export function renderCalledTool({ result, texts }: CalledTool): string {
  return result === null ? texts.join('\n') : JSON.stringify(result, null, 2);
}

/** Where the server is, and how an assistant is pointed at it. */
export function noteServedMcp({ url, token }: ServedMcp, { note, style }: Terminal): void {
  note(`${style.green('✔')} MCP server on ${style.cyan(url)}`);
  note(`  Token, good for an hour: ${token}`);
  note('  Try it: vendor-cloud mcp tools. Stop it: Ctrl-C');
}

/** What somebody does whose client opens a browser. */
export function noteKeyOfMcp({ note, style }: Terminal): void {
  note(`  ${style.bold('o')} ${style.dim('makes a link that signs a browser in')}`);
}

/** As many characters of an id as people see and type. */
const shownDigits = 12;

/** The programs that are connected, one a row. */
export function renderConnectedClients({ clients, environment }: ConnectedClients, terminal: Terminal): string {
  if (clients.length === 0) return `No program is connected to the MCP server of ${environment}.`;
  const cut = cutTextFor(terminal);
  const rows = clients.map(({ id, name, person, scopes, countsAs, rights, lastTokenAt }) => [
    id.slice(0, shownDigits),
    cut(name ?? 'without a name', 18),
    cut(person.email, 22),
    lastTokenAt?.slice(0, 10) ?? 'never',
    [
      ...scopes.map((scope) => scope.replace('mcp:', '')),
      ...(countsAs === null ? [] : [`as ${cut(countsAs, 18)}`]),
      ...(rights ? ['with limits'] : []),
    ].join(' '),
  ]);
  const header = ['ID', 'PROGRAM', 'FOR', 'LAST TOKEN', 'MAY'];
  return renderTable(header, rows, terminal);
}

/** What a program may do now, one sentence a line. */
export function renderChangedClient(changed: ChangedClient, { resultStyle }: Terminal): string {
  const { id, name, environment, before, after, isChanged } = changed;
  if (!isChanged) return 'Nothing was changed.';
  const program = resultStyle.bold(singleLine(name ?? id.slice(0, shownDigits)));
  return [
    `${resultStyle.green('✔')} ${program} in ${environment}:`,
    ...before
      .filter((sentence) => !after.includes(sentence))
      .map((sentence) => resultStyle.red(`- ${singleLine(sentence)}`)),
    ...after.map((sentence) => `${before.includes(sentence) ? ' ' : '+'} ${singleLine(sentence)}`),
    ...(after.length === 0 ? ['It may do what its person may, within the rights of the environment.'] : []),
  ].join('\n');
}

export function renderRevokedClient(revoked: RevokedClient, { resultStyle }: Terminal): string {
  const { id, name, environment, isRevoked } = revoked;
  if (!isRevoked) return 'Nothing was changed.';
  const program = resultStyle.bold(singleLine(name ?? id.slice(0, shownDigits)));
  return `${resultStyle.green('✔')} ${program} is no longer connected to ${environment}.`;
}
