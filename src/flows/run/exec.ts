import type { ProgramEnd, ProgramInput, RunningProgram } from '#kernel/ports/programs';
import type { FlowContext } from '../flow-context.ts';
import { type ServedOnce, type ServeOnceInput, serveOnce } from '../project-agent/serve-once.ts';

export interface ExecInput extends ServeOnceInput, Pick<ProgramInput, 'words' | 'output'> {
  /** Called once the program runs, so that it gets the signals of this process. Returns how to stop that. */
  onStarted?(program: RunningProgram): () => void;
}

export interface ExecResult extends ProgramEnd {
  readonly command: readonly string[];
}

/**
 * Run a program beside a platform and an agent of the project, which end with it. The program finds both through environment
 * variables.
 */
export function exec(context: FlowContext, input: ExecInput): Promise<ExecResult> {
  const { words, output, onStarted } = input;
  return serveOnce(context, input, async (served) => {
    const variables = { ...context.variables, ...addressesOf(served) };
    const program = await context.programs.start({ words, folder: context.workingFolder, variables, output });
    const release = onStarted?.(program);
    const end = await program.ended;
    release?.();
    return { command: words, ...end };
  });
}

function addressesOf({ platform, servers }: ServedOnce): Readonly<Record<string, string>> {
  return {
    SERVICE_SERVER_URL: platform.url,
    SERVICE_ENV_SECRET: platform.envSecret,
    SERVICE_AUTH_TOKEN: platform.userToken,
    SERVICE_AGENT_URL: servers.agentUrl,
    SERVICE_AGENT_TOKEN: servers.agentToken,
    SERVICE_MCP_URL: servers.mcpUrl,
    SERVICE_MCP_TOKEN: servers.mcpToken,
  };
}
