import { compareOutlines, type SchemaChange } from '#contracts/compare-outlines';
import { type BuiltDashboard, dashboardsOf } from '#contracts/dashboards';
import { differenceInWords, type RightsDifference } from '#contracts/rights-in-words';
import { outlineOfDocument } from '#contracts/schema-outlines';
import type { Version } from '#contracts/versions';
import type { PlatformClient } from '#platform-client/platform-client';
import { openProject, type PackageSize, type Project, readPermissions } from '#project/index';
import type { PreparedVersion } from '../build/prepare-version.ts';
import { checkBeforePush, type LoadedCode } from '../check/check-code.ts';
import { PreparedCheck } from '../check/prepared-check.ts';
import { isServed, type Live } from '../deployments/live-deployment.ts';
import { prepareBesideLive } from '../deployments/prepare-beside-live.ts';
import { planVariables, type VariablePlan } from '../deployments/variables-of-deployment.ts';
import type { FlowContext } from '../flow-context.ts';
import type { CompileAgainst } from '../schema/compile-against.ts';
import { planIdOf } from './plan-id.ts';

export interface PlanInput {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment?: string | undefined;
  /** What the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  readonly against?: CompileAgainst | undefined;
}

/** What a push would change of what an environment serves. */
export interface Plan {
  /** For `push --plan`, which does this and nothing else. */
  readonly id: string;
  readonly server: string;
  readonly project: string;
  readonly environment: string;
  /** What is live; `null` before the first deployment. */
  readonly live: { readonly deployment: number; readonly version: number } | null;
  /** The environment serves all of this already. */
  readonly isUnchanged: boolean;
  /** Whether somebody who relies on what is live may be hurt. */
  readonly isBreaking: boolean;
  readonly code: CodePlan;
  /** Those that the new code carries. */
  readonly dashboards: readonly Pick<BuiltDashboard, 'name' | 'title' | 'charts'>[];
  /** Collections, fields, relations, actions and segments; `null` where no agent has told what is live. */
  readonly schema: readonly SchemaChange[] | null;
  /** What `permissions apply` would change, one sentence each: a push changes no rights. `null` for a project without rights. */
  readonly rights: RightsDifference | null;
  /** `null` where one may not see the variables of the environment. */
  readonly variables: VariablePlan | null;
}

export interface CodePlan {
  readonly isChanged: boolean;
  /** Of the code that is live. */
  readonly before: Pick<Version, 'digest' | 'sizeBytes' | 'gitCommit'> | null;
  readonly after: Pick<Version, 'digest' | 'sizeBytes' | 'gitCommit'>;
  readonly packages: readonly PackageSize[];
}

/** Say what a push would change, and change nothing. Rejects for code that could not be pushed. */
export async function plan(context: FlowContext, input: PlanInput): Promise<Plan> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const check = new PreparedCheck(context, project, input.against);
  try {
    check.begin();
    const { server, client, me, live, prepared } = await prepareBesideLive(context, project, {
      environment: input.environment,
      doing: 'Planning a push of',
    });
    const { project: name, environment } = me;
    const loaded = await checkBeforePush(context, project, prepared.code, check);
    const where = { server, project: name, environment };
    return await comparePlan({ context, client, project, live, prepared, loaded, where });
  } finally {
    await check.end();
  }
}

interface Planned {
  readonly context: FlowContext;
  readonly client: PlatformClient;
  readonly project: Project;
  readonly live: Live;
  readonly prepared: PreparedVersion;
  readonly loaded: LoadedCode;
  readonly where: Pick<Plan, 'server' | 'project' | 'environment'>;
}

/** What is built and checked beside what is live. */
async function comparePlan({ context, client, project, live, prepared, loaded, where }: Planned): Promise<Plan> {
  const { manifest, contentDigest, packages } = prepared;
  const { environment } = where;
  const [schema, rights, variables, gitCommit] = await Promise.all([
    compareSchemas(client, loaded),
    compareRights(context, client, project),
    planVariables(client, live, manifest.dataSources),
    context.gitCommit(project.root),
  ]);
  const { base, deployment, version, newestVariables } = live;
  const after = { ...manifest.code, gitCommit };
  return {
    id: planIdOf({ environment, base, variables: newestVariables, contentDigest }),
    ...where,
    live: deployment && { deployment: deployment.number, version: deployment.version },
    isUnchanged: isServed(live, contentDigest),
    isBreaking: (schema?.some((change) => change.isBreaking) ?? false) || (variables?.removed.length ?? 0) > 0,
    code: { isChanged: version?.digest !== after.digest, before: version && codeOf(version), after, packages },
    dashboards: dashboardsOf(prepared.code).map(({ name, title, charts }) => ({ name, title, charts })),
    schema,
    rights,
    variables,
  };
}

function codeOf({ digest, sizeBytes, gitCommit }: Version) {
  return { digest, sizeBytes, gitCommit };
}

async function compareSchemas(client: PlatformClient, loaded: LoadedCode): Promise<readonly SchemaChange[] | null> {
  const live = await client.schema();
  return live && compareOutlines(outlineOfDocument(live), outlineOfDocument(loaded.schema));
}

async function compareRights(
  context: FlowContext,
  client: PlatformClient,
  { root }: Project,
): Promise<RightsDifference | null> {
  const file = await readPermissions(context.fs, root);
  if (!file) return null;
  return differenceInWords((await client.rights()).document, file);
}
