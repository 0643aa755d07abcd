import type { Deployment } from '#contracts/deployments';
import type { BundleManifest, Version } from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { DeployingClient } from '#platform-client/deploying-client';
import { findLiteralPasswords, type LiteralPassword, type Project } from '#project/index';
import { type PreparedVersion, type UploadedVersion, withSchema } from '../build/prepare-version.ts';
import { checkBeforePush } from '../check/check-code.ts';
import type { PreparedCheck } from '../check/prepared-check.ts';
import { deploy } from '../deployments/deploy.ts';
import type { PreparedBesideLive } from '../deployments/prepare-beside-live.ts';
import { withUnsetVariables } from '../deployments/variables-of-deployment.ts';
import type { FlowContext } from '../flow-context.ts';
import type { CompileAgainst } from '../schema/compile-against.ts';

export interface VersionInput {
  readonly message: string;
  /** Whether the version is deployed as well. */
  readonly isDeployed: boolean;
  /** What the code is compiled against. Default: `schema.json` where there is one, else the databases. */
  readonly against?: CompileAgainst | undefined;
  /** Whether files with passwords are sent to an environment that is not for development. Default: no. */
  readonly allowsLiteralPasswords?: boolean | undefined;
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
  check: PreparedCheck,
  { message, isDeployed, allowsLiteralPasswords, timeoutMs }: VersionInput,
): Promise<PushedVersion> {
  const { projectId, environment } = me;
  if (!allowsLiteralPasswords) await refuseLiteralPasswords(context, project, { client, environment, prepared });
  const [{ schema }, gitCommit] = await Promise.all([
    checkBeforePush(context, project, prepared.code, check),
    context.gitCommit(project.root),
  ]);
  const version = await context.reporter.step('Uploading', () =>
    uploadVersion(context, client, withSchema(context, prepared, schema), { projectId, gitCommit, message }),
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

/** Whoever may read a version would have the passwords that are in it. Those of a development environment may be for tests. */
async function refuseLiteralPasswords(
  context: FlowContext,
  { root, config }: Project,
  {
    client,
    environment,
    prepared,
  }: { readonly client: DeployingClient; readonly environment: string; readonly prepared: PreparedVersion },
): Promise<void> {
  const [first, ...others] = await findLiteralPasswords(
    context.fs,
    { root, dataSources: config.dataSources },
    prepared,
  );
  if (!first) return;
  const target = (await client.environments()).find(({ name }) => name === environment);
  if (target?.type === 'development') return;
  const { file, line } = first;
  const more = others.length > 0 ? ` (and ${others.length} more: ${others.map(placeOf).join(', ')})` : '';
  throw cloudError(
    'LITERAL_PASSWORD',
    `${placeOf(first)}: a connection URI holds a password, and the version would take it to "${environment}"${more}.`,
    [nextStepFor(file), 'Send it all the same: --allow-literal-password'],
    { safeDetails: { file, line } },
  );
}

const placeOf = ({ file, line }: LiteralPassword) => `${file}:${line}`;

function nextStepFor(file: string): string {
  const place = file.endsWith('.json') ? 'write "${DATABASE_URL}" in its place' : 'read that variable in the code';
  return `Keep the URI in a variable of the environment (vendor-cloud variables set DATABASE_URL), and ${place}.`;
}

/**
 * Send what the platform lacks of a version, and make the version. It exists only once its bytes are there and checked. Every
 * request may be sent again: what was lost on the way is not done twice.
 */
async function uploadVersion(
  context: FlowContext,
  client: DeployingClient,
  prepared: UploadedVersion,
  { message, ...origin }: Pick<BundleManifest, 'projectId' | 'gitCommit'> & { readonly message: string },
): Promise<Version> {
  const missing = new Set(await client.missingBundles(prepared.parts.map(({ digest }) => digest)));
  for (const { digest, bytes } of prepared.parts) {
    if (missing.has(digest)) await client.uploadBundle(digest, bytes);
  }
  const version = await client.createVersion({
    manifest: { ...prepared.manifest, ...origin },
    message,
    idempotencyKey: context.random.uuid(),
  });
  if (version.contentDigest === prepared.contentDigest) return version;
  throw cloudError(
    'BUNDLE_DIGEST_MISMATCH',
    `The platform made version ${version.number} of other content than was sent.`,
    ['Push again.', 'If it stays, see that the platform has the version of this command line.'],
  );
}
