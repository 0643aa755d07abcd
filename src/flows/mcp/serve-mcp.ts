import type { SignInLink } from '#contracts/sign-in';
import type { WantedPort } from '#kernel/ports/tcp';
import type { FlowContext } from '../flow-context.ts';
import { untilAborted } from '../lifetime.ts';
import { type ServeOnceInput, serveOnce } from '../project-agent/serve-once.ts';

export interface ServeMcpInput extends ServeOnceInput {
  readonly mcpPort: WantedPort;
  /**
   * Called once the server answers.
   *
   * @param makeSignInLink A one-time link that signs a browser in at the platform of the server.
   */
  readonly tell: (served: ServedMcp, makeSignInLink: () => SignInLink) => void;
}

export interface ServedMcp {
  readonly url: string;
  /** For clients that do not sign in by themselves; good for an hour. */
  readonly token: string;
  readonly collections: readonly string[];
}

/** Serve the MCP server of a project, without watching its code, until the signal aborts. */
export function serveMcp(context: FlowContext, { tell, ...input }: ServeMcpInput): Promise<void> {
  return serveOnce(context, input, async ({ servers, load, platform }) => {
    const served = { url: servers.mcpUrl, token: servers.mcpToken, collections: load.collections };
    tell(served, platform.makeSignInLink);
    await untilAborted(input.signal);
  });
}
