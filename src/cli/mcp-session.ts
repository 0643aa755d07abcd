import type { ServeMcpInput } from '#flows/mcp/serve-mcp';
import type { CliContext } from './context.ts';
import { listenToKeys } from './keys.ts';
import { noteKeyOfMcp, noteServedMcp } from './render-mcp.ts';
import { noteSignInLink } from './render-sign-in.ts';
import type { Session } from './session.ts';

/** Serve the MCP server until the process is told to end. At a terminal, a key makes links for browsers. */
export async function runMcpSession(
  { terminal, interrupt }: Session,
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
