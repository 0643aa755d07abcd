import type { ServeMcpInput } from '#flows/mcp/serve-mcp';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { noteKeyOfMcp, noteServedMcp } from '../rendering/render-mcp.ts';
import { noteSignInLink } from '../rendering/render-sign-in.ts';
import { listenToKeys } from '../terminal/keys.ts';

/** Serve the MCP server until the process gets a signal to end. At a terminal, a key makes links for browsers. */
export async function runMcpServer(
  { terminal, interrupt }: Invocation,
  { isInteractive }: CliContext,
  serve: (tell: ServeMcpInput['tell']) => Promise<void>,
): Promise<void> {
  let stopKeys: (() => void) | undefined;
  try {
    await serve((served, makeSignInLink) => {
      if (terminal.isJson) terminal.json(served);
      else noteServedMcp(served, terminal);
      if (!isInteractive) return;
      noteKeyOfMcp(terminal);
      stopKeys = listenToKeys({ o: () => noteSignInLink(makeSignInLink(), terminal), interrupt });
    });
  } finally {
    stopKeys?.();
  }
}
