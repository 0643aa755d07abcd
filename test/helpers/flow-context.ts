import { createContext } from '#cli/context';
import { createTerminal } from '#cli/terminal';
import type { FlowContext } from '#flows/flow-context';
import { processEnvironment } from '#host/environment/process-environment';
import { silentReporter } from '#kernel/ports/reporter';

/** The machine's own files, clock, network and databases, called from `workingFolder`, which is the home too. */
export function flowContext(workingFolder: string): FlowContext {
  const environment = { ...processEnvironment, workingFolder, variables: {} };
  const session = {
    environment,
    terminal: createTerminal(environment, { isJson: true, hasColor: false }),
    interrupted: new AbortController().signal,
    onInterrupt: () => () => undefined,
    interrupt: () => undefined,
    serve: () => undefined,
    handOverSignals: () => () => undefined,
  };
  return { ...createContext(session, silentReporter), homeFolder: workingFolder };
}
