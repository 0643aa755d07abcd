import type { Deployment } from '#contracts/deployments';
import type { Version } from '#contracts/versions';
import type { Project } from '#project/index';
import { checkBeforePush } from '../check/check-before-push.ts';
import type { CompileAgainst } from '../check/compile-against.ts';
import { schemaToCompile } from '../check/schema-to-compile.ts';
import { deploy } from '../deployments/deploy.ts';
import type { PreparedBesideLive } from '../deployments/prepare-beside-live.ts';
import { withUnsetVariables } from '../deployments/unset-variables.ts';
import type { FlowContext } from '../flow-context.ts';
import { uploadVersion } from './upload-version.ts';

export interface VersionInput {
  readonly message: string;
  /** Whether the version is deployed as well. */
  readonly isDeployed: boolean;
  /** What the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  readonly against?: CompileAgainst | undefined;
  /** How long to wait for the end of the deployment, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number | undefined;
}

export interface PushedVersion {
  readonly version: Version;
  /** `null` for a push that deploys nothing. */
  readonly deployment: Deployment | null;
}

/** Check what was built, upload it as a new version, and deploy that where it is wanted. Rejects as `push` does. */
export async function pushVersion(
  context: FlowContext,
  project: Project,
  { client, me, live, prepared }: Omit<PreparedBesideLive, 'server'>,
  { message, against, isDeployed, timeoutMs }: VersionInput,
): Promise<PushedVersion> {
  await checkBeforePush(context, project, prepared.code, await schemaToCompile(context, project, against));
  const { projectId, environment } = me;
  const version = await context.reporter.step('Uploading', () =>
    uploadVersion(context, client, prepared, { projectId, message }),
  );
  if (message !== '' && version.message !== message) {
    context.reporter.warn(`Version ${version.number} has this code already. It keeps the message that it has.`);
  }
  if (!isDeployed) return { version, deployment: null };
  try {
    const wanted = { target: { version: version.number }, base: live.base, timeoutMs };
    return { version, deployment: await deploy(context, client, wanted) };
  } catch (error) {
    const { dataSources } = prepared.manifest;
    throw await withUnsetVariables(error, { client, environment, live, dataSources });
  }
}
