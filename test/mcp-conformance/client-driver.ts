/** What a scenario of the conformance suite asks of a client, by the commands of the product: `<program> <address of the server>`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

interface WantedCall {
  readonly name: string;
  readonly arguments?: object;
}

const [, , program = '', url = ''] = process.argv;
const run = promisify(execFile);
const ask = async (...words: readonly string[]): Promise<unknown> => {
  const { stdout } = await run(process.execPath, [program, ...words, '--mcp-url', url, '--json']);
  return JSON.parse(stdout);
};

const { tools } = (await ask('mcp', 'tools')) as { tools: readonly WantedCall[] };
const { toolCalls } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  toolCalls?: readonly WantedCall[];
};
const wanted = toolCalls ?? tools.map(({ name }): WantedCall => ({ name }));
for (const { name, arguments: given = {} } of wanted) {
  await ask('mcp', 'call', name, '--arguments', JSON.stringify(given));
}
