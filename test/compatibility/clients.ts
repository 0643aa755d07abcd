/** A client that was tried with the MCP server of an agent, or could not be had. */
export interface TriedClient {
  readonly name: string;
  readonly version: string;
  /** The file in `clients` that runs it. Absent for one that was not run. */
  readonly program?: string;
  /** What npm installs for it. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Whether the client says that a call has failed, and does not pass its answer on as any other. */
  readonly tellsFailures?: boolean;
  readonly note: string;
}

const sdk1 = { '@modelcontextprotocol/sdk': '1.32.2' };

/** `docs/compatibility.md` has a row for each. */
export const triedClients: readonly TriedClient[] = [
  {
    ...{ name: 'MCP SDK of TypeScript', version: '1.32.2', program: 'sdk-1.mjs', packages: sdk1 },
    ...{ tellsFailures: true, note: 'speaks 2025-11-25' },
  },
  {
    ...{ name: 'MCP SDK of TypeScript', version: '2.4.0', program: 'sdk-2.mjs' },
    ...{ packages: { '@modelcontextprotocol/client': '2.4.0' }, tellsFailures: true },
    note: "speaks 2026-07-28 with `versionNegotiation: { mode: 'auto' }`",
  },
  {
    ...{ name: 'MCP Inspector, its command line', version: '2.12.0', program: 'inspector.mjs' },
    ...{ packages: { '@modelcontextprotocol/inspector': '2.12.0' }, tellsFailures: true },
    note: 'needs Node.js 22.19; ends with 5 where a tool has failed',
  },
  {
    ...{ name: '`@ai-sdk/mcp`', version: '2.0.99', program: 'ai-sdk.mjs', packages: { '@ai-sdk/mcp': '2.0.99' } },
    ...{ tellsFailures: true, note: '`execute` of a tool gives the whole result' },
  },
  {
    ...{ name: '`@langchain/mcp-adapters`', version: '1.1.4', program: 'langchain.mjs' },
    ...{ packages: { '@langchain/mcp-adapters': '1.1.4', '@langchain/core': '1.4.0' }, tellsFailures: true },
    note: 'a failed call is an exception',
  },
  {
    ...{ name: '`@openai/agents-core`', version: '0.20.0', program: 'openai-agents.mjs' },
    ...{ packages: { '@openai/agents-core': '0.20.0' }, tellsFailures: true },
    note: 'passes on the texts of a result, with `isError` on their list',
  },
  {
    ...{ name: '`@mastra/mcp`', version: '2.0.0', program: 'mastra.mjs' },
    ...{ packages: { '@mastra/mcp': '2.0.0', '@mastra/core': '1.71.0' }, tellsFailures: true },
    note: 'tools have the name of the server before their own',
  },
  {
    ...{ name: '`mcporter`', version: '0.12.3', program: 'mcporter.mjs', packages: { mcporter: '0.12.3' } },
    ...{ tellsFailures: true, note: 'takes a token in `headers`' },
  },
  {
    ...{ name: '`mcp-remote`', version: '0.15.1', program: 'mcp-remote.mjs' },
    ...{ packages: { 'mcp-remote': '0.15.1', ...sdk1 }, tellsFailures: true },
    note: '`--transport http-only --header "Authorization:${AUTHORIZATION}"`',
  },
  { name: 'MCP SDK of Python', version: '2', note: 'no registry of Python was in reach' },
  { name: 'agent client', version: '1.5.8 and 1.14.0', note: 'npm has no such package under the name of this product' },
  { name: 'testing package', version: '1.1.79', note: 'npm has no such package under the name of this product' },
];
