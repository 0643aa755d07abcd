import { boolean } from '@oclif/core/flags';
import { CloudCommand } from '#cli/command/cloud-command';
import { mcpFlags, mcpServerOfFlags } from '#cli/flags/mcp-flags';
import { portFlags, portWishes } from '#cli/flags/project-flags';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

const endingMs = 10_000;

export default class Mcp extends CloudCommand {
  static override summary = 'Serve the MCP server of the project, for AI assistants.';
  static override description =
    'It serves the code as it is, and does not watch it: beside "dev" there is no need for it. With --stdio it speaks through pipes, to the server of the project or to the one that --mcp-url or SERVICE_AGENT_URL names; nothing else is written to stdout.';
  static override examples = [
    '<%= config.bin %> mcp',
    '<%= config.bin %> mcp --stdio --as role:support',
    'SERVICE_MCP_TOKEN=… <%= config.bin %> mcp --stdio --mcp-url https://admin.example.com/mcp',
  ];
  static override flags = {
    ...mcpFlags,
    'mcp-port': portFlags['mcp-port'],
    stdio: boolean({ summary: 'Speak through stdin and stdout, one message a line.', env: 'SERVICE_STDIO' }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Mcp);
    const { terminal, environment } = this.invocation;
    const context = await this.createContext();
    const { runMcpServer } = await import('#cli/foreground/run-mcp-server');
    const server = await mcpServerOfFlags(flags, this.invocation, context);
    this.invocation.serve(endingMs);
    try {
      const { addressOfOther, withMcpServer } = await import('#flows/mcp/mcp-access');
      if (flags.stdio) {
        const { relayStdio } = await import('#flows/mcp/relay-stdio');
        const client = { input: environment.input, write: terminal.result };
        await withMcpServer(context, server, (access) => relayStdio(context, access, client));
        return;
      }
      const other = addressOfOther(context, server);
      if (other !== undefined) throw servedElsewhere(other);
      const { serveMcp } = await import('#flows/mcp/serve-mcp');
      await runMcpServer(this.invocation, context, (tell) =>
        serveMcp(context, { ...server, mcpPort: portWishes(flags).mcp, tell }),
      );
    } finally {
      await context.http.close();
    }
  }
}

function servedElsewhere(url: string): CloudError {
  return cloudError('USAGE_INVALID', 'The server that --mcp-url or SERVICE_AGENT_URL names is served already.', [
    `Give clients that address, ${url}`,
    'Add --stdio for a client that speaks only through pipes.',
    'Remove --mcp-url and SERVICE_AGENT_URL to serve the MCP server of the project.',
  ]);
}
