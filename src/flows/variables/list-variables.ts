import { openProject } from '#project/index';
import { readLive } from '../deployments/live.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface VariablesTarget {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment: string | undefined;
}

/** Who sees a variable: the code that is live, the code of the next deployment, or both. Its value may be another one in each. */
export interface ListedVariable {
  readonly name: string;
  readonly isLive: boolean;
  readonly isNext: boolean;
}

export interface ListedVariables {
  readonly environment: string;
  /** Of the newest variables: what the next deployment takes. */
  readonly revision: number;
  /** What the live deployment was made with; `null` before the first. */
  readonly live: { readonly deployment: number; readonly revision: number } | null;
  readonly variables: readonly ListedVariable[];
}

/** The names of the variables of an environment, and which deployment uses them. Nobody sees values. */
export async function listVariables(context: FlowContext, target: VariablesTarget): Promise<ListedVariables> {
  const project = await openProject(context.fs, target.folder, context.variables);
  const { client } = await connectToPlatform(context, project, target.environment);
  const [{ environment }, { deployment }, next] = await Promise.all([
    client.me(),
    readLive(client),
    client.variables(),
  ]);
  const live = deployment && { deployment: deployment.number, revision: deployment.variablesRevision };
  const served = live ? (await client.variables(live.revision)).names : [];
  const names = [...new Set([...next.names, ...served])].sort();
  return {
    environment,
    revision: next.revision,
    live,
    variables: names.map((name) => ({ name, isLive: served.includes(name), isNext: next.names.includes(name) })),
  };
}
