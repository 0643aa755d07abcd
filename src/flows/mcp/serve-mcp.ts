import type { WantedPort } from '#kernel/ports/wanted-port';
import { type ServeOnceInput, serveOnce } from '../dev/serve-once.ts';
import { untilAborted } from '../dev/until-aborted.ts';
import type { FlowContext } from '../flow-context.ts';

export interface ServeMcpInput extends ServeOnceInput {
  readonly mcpPort: WantedPort;
  /** Called once the server answers. */
  readonly tell: (served: ServedMcp) => void;
}

export interface ServedMcp {
  readonly url: string;
  /** For clients that do not sign in by themselves; good for an hour. */
  readonly token: string;
  readonly collections: readonly string[];
}

/** Serve the MCP server of a project, without watching its code, until the signal aborts. */
export function serveMcp(context: FlowContext, { tell, ...input }: ServeMcpInput): Promise<void> {
  return serveOnce(context, input, async ({ servers, load }) => {
    tell({ url: servers.mcpUrl, token: servers.mcpToken, collections: load.collections });
    await untilAborted(input.signal);
  });
}
