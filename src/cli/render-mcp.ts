import type { CalledTool } from '#flows/mcp/call-tool';
import type { ListedTools } from '#flows/mcp/list-tools';
import type { ServedMcp } from '#flows/mcp/serve-mcp';
import { renderTable, singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

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

/** The structured result as JSON; the texts where there is none. */
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
