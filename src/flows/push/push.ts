import type { Version } from '#contracts/versions';
import { maxBundleBytes } from '#contracts/versions';
import { CloudError } from '#kernel/errors/cloud-error';
import { createBundler, openProject, type Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface PushInput {
  readonly folder: string;
  readonly message: string;
}

export interface PushResult {
  readonly server: string;
  readonly project: string;
  readonly environment: string;
  readonly version: Version;
}

/** Build a project and upload it as a new version. The version exists only once its bytes are there and checked. */
export async function push(context: FlowContext, input: PushInput): Promise<PushResult> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url, client } = await connectToPlatform(context, project);
  const { user, project: name, environment } = await client.me();
  context.reporter.info(`Pushing ${name} to ${environment} at ${url} as ${user.name} <${user.email}>`);
  const code = await context.reporter.step('Building', () => build(context, project));
  const digest = context.sha256Hex(code);
  const version = await context.reporter.step('Uploading', async () => {
    await client.uploadBundle(digest, code);
    return client.createVersion({
      manifest: {
        formatVersion: 1,
        project: project.config.name,
        digest,
        sizeBytes: code.byteLength,
        builtWith: context.package.version,
        gitCommit: await context.gitCommit(project.root),
      },
      message: input.message,
      idempotencyKey: context.random.uuid(),
    });
  });
  return { server: url, project: name, environment, version };
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
