import { changeVariablesSchema } from '#contracts/variables';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { openProject } from '#project/index';
import { readLive } from '../deployments/live-deployment.ts';
import { sayWhere } from '../deployments/swap-confirmation.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectToDeploy } from '../platform-access/connect-to-platform.ts';

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
  const { client } = await connectToDeploy(context, project, target.environment);
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

interface ChangeVariablesInput extends VariablesTarget {
  /** Values by name. */
  readonly set?: Readonly<Record<string, string>>;
  /** Names. */
  readonly unset?: readonly string[];
  /** Shows what would be taken away and asks whether to go on. Without it, everything is wanted. */
  confirm?(unset: UnsetVariables): Promise<boolean>;
}

export interface UnsetVariables {
  readonly environment: string;
  readonly names: readonly string[];
}

export interface ChangedVariables {
  readonly environment: string;
  /** Of the variables now. */
  readonly revision: number;
  /** Names that were given a value, and names that were taken away; empty where the change was not wanted. */
  readonly set: readonly string[];
  readonly unset: readonly string[];
  readonly isChanged: boolean;
}

/**
 * Set and unset variables of an environment. What is live goes on with those that it was deployed with. Rejects with
 * `REQUEST_CONFLICT` when somebody else changes them meanwhile.
 */
export async function changeVariables(context: FlowContext, input: ChangeVariablesInput): Promise<ChangedVariables> {
  const { set = {}, unset = [] } = input;
  checkChange(set, unset);
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url, client } = await connectToDeploy(context, project, input.environment);
  const [me, before] = await Promise.all([client.me(), client.variables()]);
  sayWhere(context, me, url, 'Changing variables of');
  const unknown = unset.find((name) => !before.names.includes(name));
  if (unknown !== undefined) throw variableUnknown(unknown, me.environment, before.names);
  const { environment } = me;
  if (unset.length > 0 && input.confirm && !(await input.confirm({ environment, names: unset })))
    return { environment, revision: before.revision, set: [], unset: [], isChanged: false };
  const { revision } = await client.changeVariables({ set: { ...set }, unset: [...unset], base: before.revision });
  const names = Object.keys(set).sort();
  return { environment, revision, set: names, unset, isChanged: revision !== before.revision };
}

/** As the platform would check it, without a word of a value. */
function checkChange(set: Readonly<Record<string, string>>, unset: readonly string[]): void {
  const { error } = changeVariablesSchema.safeParse({ set, unset, base: 0 });
  if (!error) return;
  const [, name] = error.issues[0]?.path ?? [];
  const isValue = error.issues[0]?.code === 'too_big';
  throw cloudError(
    'USAGE_INVALID',
    isValue
      ? `The value of ${String(name)} has more than 32,768 characters.`
      : 'A variable is named by letters, digits and underscores, and does not begin with a digit.',
    'vendor-cloud variables set DATABASE_URL < file-with-the-value',
  );
}

function variableUnknown(name: string, environment: string, names: readonly string[]): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `"${environment}" has no variable ${name}.${didYouMean(nearestName(name, names))}`,
    `See which there are: vendor-cloud variables list --env ${environment}`,
  );
}
