import path from 'node:path';
import type { BundleManifest } from '#contracts/versions';
import { openProject, type PackageSize } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { prepareVersion } from './prepare-version.ts';

export interface BuildInput {
  readonly folder: string;
  /** Folder to write to, from the working folder on. Default: `.vendor-cloud/build` of the project. */
  readonly out?: string | undefined;
}

export interface BuildResult {
  /** Absolute paths of what was written. */
  readonly files: { readonly code: string; readonly sourceMap: string; readonly manifest: string };
  readonly manifest: Omit<BundleManifest, 'projectId'>;
  readonly contentDigest: string;
  readonly packages: readonly PackageSize[];
}

/**
 * Build a project and write what a push would send: the code, byte for byte, and its manifest. The source map is a file of its
 * own beside them, for tools that want one. Checks nothing and asks no platform.
 */
export async function build(context: FlowContext, input: BuildInput): Promise<BuildResult> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const [prepared, gitCommit] = await Promise.all([
    context.reporter.step('Building', () => prepareVersion(context, project)),
    context.gitCommit(project.root),
  ]);
  const { contentDigest, packages, code } = prepared;
  const manifest = { ...prepared.manifest, gitCommit };
  const folder = path.resolve(context.workingFolder, input.out ?? path.join(project.root, '.vendor-cloud/build'));
  const files = {
    code: path.join(folder, 'customization.cjs'),
    sourceMap: path.join(folder, 'customization.cjs.map'),
    manifest: path.join(folder, 'manifest.json'),
  };
  await context.fs.writeAtomically(files.code, code);
  await context.fs.writeAtomically(files.sourceMap, sourceMapOf(code));
  // Last, so that what it describes is there.
  await context.fs.writeAtomically(
    files.manifest,
    `${JSON.stringify({ ...manifest, contentDigest, packages }, null, 2)}\n`,
  );
  return { files, manifest, contentDigest, packages };
}

/** The source map that is in the last line of built code. */
function sourceMapOf(code: string): string {
  const [, encoded = ''] = code.slice(code.lastIndexOf('\n//# sourceMappingURL=')).split(';base64,');
  return Buffer.from(encoded, 'base64').toString('utf8');
}
