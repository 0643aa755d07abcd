import path from 'node:path';
import type { Deployment } from '#contracts/deployments';
import { permissionFileName } from '#contracts/permission-file';
import type { Version } from '#contracts/versions';
import { maxBundleBytes } from '#contracts/versions';
import { CloudError } from '#kernel/errors/cloud-error';
import { createBundler, openProject, type Project } from '#project/index';
import { deploy } from '../deployments/deploy.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface PushInput {
  readonly folder: string;
  readonly message: string;
  /** Name of the environment; that of the token by default. */
  readonly environment?: string | undefined;
  /** Whether the version is deployed as well. */
  readonly isDeployed: boolean;
}

export interface PushResult {
  readonly server: string;
  readonly project: string;
  readonly environment: string;
  readonly version: Version;
  /** `null` for a push that deploys nothing. */
  readonly deployment: Deployment | null;
}

/**
 * Build a project, upload it as a new version, and deploy that to the environment. The version exists only once its bytes are
 * there and checked. Rejects with `DEPLOYMENT_FAILED` when a host refuses it; the one before keeps serving.
 */
export async function push(context: FlowContext, input: PushInput): Promise<PushResult> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url, client } = await connectToPlatform(context, project, input.environment);
  const me = await client.me();
  const { user, project: name, environment } = me;
  context.reporter.info(`Pushing ${name} to ${environment} at ${url} as ${user.name} <${user.email}>`);
  const { live: base } = await client.listDeployments({ limit: 1 });
  const code = await context.reporter.step('Building', () => build(context, project));
  const version = await context.reporter.step('Uploading', async () => {
    const rights = await context.fs.readBytes(path.join(project.root, permissionFileName));
    const content = contentOf(context, code);
    const permissions = rights && contentOf(context, rights);
    const missing = await client.missingBundles([content, permissions].flatMap((part) => part?.digest ?? []));
    if (missing.includes(content.digest)) await client.uploadBundle(content.digest, code);
    if (rights && permissions && missing.includes(permissions.digest)) {
      await client.uploadBundle(permissions.digest, rights);
    }
    return client.createVersion({
      manifest: {
        formatVersion: 2,
        projectId: me.projectId,
        code: content,
        permissions,
        dataSources: project.config.dataSources,
        ...(project.config.activityRequired ? { activityRequired: true } : {}),
        builtWith: context.package.version,
        gitCommit: await context.gitCommit(project.root),
      },
      message: input.message,
      idempotencyKey: context.random.uuid(),
    });
  });
  const deployment = input.isDeployed
    ? await deploy(context, client, { target: { version: version.number }, base })
    : null;
  return { server: url, project: name, environment, version, deployment };
}

function contentOf({ sha256Hex }: FlowContext, bytes: Uint8Array) {
  return { digest: sha256Hex(bytes), sizeBytes: bytes.byteLength };
}

async function build(context: FlowContext, project: Project): Promise<Uint8Array> {
  const bundler = await createBundler(context.fs, project);
  try {
    const code = new TextEncoder().encode((await bundler.build()).code);
    if (code.byteLength > maxBundleBytes) throw tooLarge(code.byteLength);
    return code;
  } finally {
    await bundler.dispose();
  }
}

function tooLarge(sizeBytes: number): CloudError {
  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);
  return new CloudError({
    code: 'BUNDLE_TOO_LARGE',
    message: `The built code has ${megabytes(sizeBytes)} MB; the platform takes ${megabytes(maxBundleBytes)} MB at most.`,
    nextSteps: ['Remove large dependencies or data files from the customization code.'],
  });
}
