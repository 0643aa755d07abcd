import type { Deployment } from '#contracts/deployments';
import { type Version, versionMessageSchema } from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import { openProject, type PackageSize, type Project } from '#project/index';
import { PreparedCheck } from '../check/prepared-check.ts';
import { isServed } from '../deployments/live-deployment.ts';
import { recallBesideLive } from '../deployments/prepare-beside-live.ts';
import type { FlowContext } from '../flow-context.ts';
import { assertPlanned } from '../plan/plan-id.ts';
import type { VersionInput } from './push-version.ts';

export interface PushInput extends VersionInput {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment?: string | undefined;
  /** Id of the plan that this is to be: nothing is done when it does not hold any more. */
  readonly plan?: string | undefined;
}

export interface PushResult {
  readonly server: string;
  readonly project: string;
  readonly environment: string;
  /** The environment serves this code already: no version was made and nothing deployed. */
  readonly isUnchanged: boolean;
  readonly version: Version;
  /** `null` for a push that deploys nothing. */
  readonly deployment: Deployment | null;
  /** What the code is made of, the largest first. */
  readonly packages: readonly PackageSize[];
}

/**
 * Build and check a project, upload it as a new version, and deploy that to the environment. Code that does not pass its check
 * never becomes a version, and what is live already is neither checked nor pushed again. Rejects with `DEPLOYMENT_FAILED` when a
 * host refuses it, the one before keeps serving; with `PLAN_STALE` when it is not what was planned.
 */
export async function push(context: FlowContext, input: PushInput): Promise<PushResult> {
  checkMessage(input.message);
  const project = await openProject(context.fs, input.folder, context.variables);
  const check = new PreparedCheck(context, project, input.against);
  try {
    return await pushProject(context, project, check, input);
  } finally {
    await check.end();
  }
}

async function pushProject(
  context: FlowContext,
  project: Project,
  check: PreparedCheck,
  input: PushInput,
): Promise<PushResult> {
  const { server, client, me, live, known, prepare } = await recallBesideLive(context, project, {
    environment: input.environment,
    doing: 'Pushing',
    whileBuilding: () => check.begin(),
  });
  const { project: name, environment } = me;
  const { contentDigest, packages } = known;
  if (input.plan !== undefined) {
    const { base, newestVariables: variables } = live;
    assertPlanned(input.plan, { environment, base, variables, contentDigest });
  }
  const result = { server, project: name, environment, packages };
  if (live.version && isServed(live, contentDigest)) {
    return { ...result, isUnchanged: true, version: live.version, deployment: live.deployment };
  }
  // Only what changes something loads what that takes.
  const { pushVersion } = await import('./push-version.ts');
  return {
    ...result,
    isUnchanged: false,
    ...(await pushVersion(context, project, { client, me, live, prepared: await prepare() }, check, input)),
  };
}

/** Before anything is built or sent: the platform would refuse the message at the very end. */
function checkMessage(message: string): void {
  const { error } = versionMessageSchema.safeParse(message);
  if (!error) return;
  const [issue] = error.issues;
  const isLong = issue?.code === 'too_big';
  throw cloudError(
    'USAGE_INVALID',
    isLong
      ? `The message has ${message.length} characters, and a version takes ${issue.maximum} at most.`
      : 'The message holds a character that no version takes: half of a character, or the character 0.',
    isLong ? 'Shorten it; nothing was built or sent.' : 'Write it again; nothing was built or sent.',
  );
}
