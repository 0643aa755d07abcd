import { createContext } from '#cli/context';
import type { Session } from '#cli/session';
import { createTerminal } from '#cli/terminal';
import type { FlowContext } from '#flows/flow-context';
import { silentReporter } from '#kernel/ports/reporter';
import { processEnvironment } from '#node/environment/process-environment';

/** The worker that people have. One whose sources have to be stripped of their types first takes twice as long to start. */
const agentWorkerUrl = new URL('../../dist/cli/agent-worker.js', import.meta.url);

/** The machine's own files, clock, network and databases, called from `workingFolder`, which is the home too. */
export function flowContext(workingFolder: string): FlowContext {
  const context = createContext(uninterruptedSession(workingFolder), silentReporter);
  return { ...context, homeFolder: workingFolder, agentWorkerUrl };
}

/** The run of a command in `workingFolder` that nobody interrupts. */
export function uninterruptedSession(workingFolder: string, { isJson = true } = {}): Session {
  const environment = { ...processEnvironment, workingFolder, variables: {} };
  return {
    environment,
    terminal: createTerminal(environment, { isJson, hasColor: false }),
    interrupted: new AbortController().signal,
    onInterrupt: () => () => undefined,
    interrupt: () => undefined,
    serve: () => undefined,
    handOverSignals: () => () => undefined,
  };
}
