import { createContext } from '#cli/invocation/cli-context';
import type { Invocation } from '#cli/invocation/invocation';
import { createTerminal } from '#cli/terminal/terminal';
import type { FlowContext } from '#flows/flow-context';
import { silentReporter } from '#kernel/ports/reporter';
import { processEnvironment } from '#node/environment/process-environment';

/** The worker that people have. One whose sources have to be stripped of their types first takes twice as long to start. */
const agentWorkerUrl = new URL('../../dist/cli/agent-worker.js', import.meta.url);

/** The machine's own files, clock, network and databases, called from `workingFolder`, which is the home too. */
export function flowContext(workingFolder: string): FlowContext {
  const context = createContext(uninterruptedInvocation(workingFolder), silentReporter);
  return { ...context, homeFolder: workingFolder, agentWorkerUrl };
}

/** The run of a command in `workingFolder` that nobody interrupts. */
export function uninterruptedInvocation(workingFolder: string, { isJson = true } = {}): Invocation {
  const environment = { ...processEnvironment, workingFolder, variables: {} };
  return {
    environment,
    terminal: createTerminal(environment, { isJson, hasColor: false }),
    interrupted: new AbortController().signal,
    onInterrupt: () => () => undefined,
    interrupt: () => undefined,
    serve: () => undefined,
    endUnread: () => undefined,
    handOverSignals: () => () => undefined,
  };
}
