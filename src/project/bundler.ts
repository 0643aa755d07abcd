import path from 'node:path';
import type { BuildFailure, Message, Metafile } from 'esbuild';
import { dashboardFolder } from '#contracts/project-config';
import { cloudError } from '#kernel/errors/cloud-error';
import type { WithVariable } from '#kernel/ports/env';
import type { FileSystem } from '#kernel/ports/file-system';
import { type Bundle, type BundledData, type BundledProject, bundleOf, bundleOptions } from './bundle.ts';
import { codeFrame } from './code-frame.ts';
import { nativeModule, type OutsideModules, outsideModules } from './outside-modules.ts';
import { type PackageSize, packageOf, packageSizes } from './package-sizes.ts';

export interface Bundler {
  /** Build, reusing what did not change since the last time. Rejects with `BUILD_FAILED`, `BUILD_TOP_LEVEL_AWAIT` or `DASHBOARD_INVALID`. */
  build(): Promise<Bundle>;
  dispose(): Promise<void>;
}

/** What bundling takes of the machine. */
export interface BundlingHost {
  readonly fs: FileSystem;
  readonly withVariable: WithVariable;
}

/** esbuild runs in a process of its own that all bundlers share; the last one ends it. */
let openBundlers = 0;

/**
 * esbuild is a Go program, which collects garbage whenever its memory has doubled. Builds come a third faster when it waits until
 * there is five times as much: 15 MB more for a bundle of 5 MB.
 */
const memoryGrowth = { variable: 'GOGC', percent: '400' };

/** Bundles the entry of a project with esbuild, again and again. */
export async function createBundler({ fs, withVariable }: BundlingHost, project: BundledProject): Promise<Bundler> {
  const { context, stop } = await import('esbuild');
  // The first call starts the process.
  const build = await withVariable(memoryGrowth.variable, memoryGrowth.percent, () => context(bundleOptions(project)));
  openBundlers++;
  return {
    async build() {
      try {
        const [built, data] = await Promise.all([build.rebuild(), dataOf(fs, project.root)]);
        return bundleOf(built, project.root, data);
      } catch (error) {
        throw await buildErrorOf(fs, project.root, error);
      }
    },
    async dispose() {
      await build.dispose();
      if (--openBundlers === 0) await stop();
    },
  };
}

/** A bundle, and what is known of the packages that it is made of and of those that it lacks. */
export interface ExaminedBundle {
  readonly bundle: Bundle;
  readonly metafile: Metafile;
  /** How much of it comes from each package, the largest first. */
  readonly packages: readonly PackageSize[];
  /** What it needs when it runs, and does not hold. */
  outside(): Promise<OutsideModules>;
}

/** Bundle the entry of a project once. Rejects with `BUILD_FAILED`, `BUILD_TOP_LEVEL_AWAIT` or `DASHBOARD_INVALID`. */
export async function bundleOnce({ fs, withVariable }: BundlingHost, project: BundledProject): Promise<ExaminedBundle> {
  const { stop, build } = await import('esbuild');
  openBundlers++;
  try {
    const [built, data] = await Promise.all([
      withVariable(memoryGrowth.variable, memoryGrowth.percent, () => build(bundleOptions(project))),
      dataOf(fs, project.root),
    ]);
    return {
      bundle: bundleOf(built, project.root, data),
      metafile: built.metafile,
      // Few who build look at it.
      get packages() {
        return packageSizes(built.metafile);
      },
      outside: () => outsideModules(fs, project.root, built),
    };
  } catch (error) {
    throw await buildErrorOf(fs, project.root, error);
  } finally {
    if (--openBundlers === 0) await stop();
  }
}

/** Most projects have no dashboards. */
async function dataOf(fs: FileSystem, root: string): Promise<BundledData> {
  const folder = path.join(root, dashboardFolder);
  const names = await fs.list(folder);
  const files = names.filter((name) => name.endsWith('.json')).map((name) => path.join(folder, name));
  if (files.length === 0) return { files };
  const { withDashboards } = await import('#contracts/dashboards');
  const { readDashboards } = await import('./read-dashboards.ts');
  const dashboards = await readDashboards(fs, files);
  return { files, carriedBy: (code) => withDashboards(code, dashboards) };
}

/** What esbuild rejected with as `BUILD_FAILED`, `BUILD_TOP_LEVEL_AWAIT` or `BUILD_MODULE_MISSING`, with the place. Any other error comes back as it is. */
async function buildErrorOf(fs: FileSystem, root: string, failure: unknown): Promise<unknown> {
  if (!isBuildFailure(failure)) return failure;
  const [first] = failure.errors;
  const others = failure.errors.length > 1 ? ` (and ${failure.errors.length - 1} more)` : '';
  // esbuild gives this refusal no identifier of its own; the format it names does not occur in other messages.
  const isTopLevelAwait = first?.text.startsWith('Top-level await') === true;
  const location = first ? await locate(fs, root, first) : undefined;
  const native = first && nativeFile.exec(first.text)?.[1];
  if (native !== undefined) {
    const { message, nextStep } = nativeModule(packageOf(native) ?? native);
    const place = location ? { location } : {};
    return cloudError('BUILD_MODULE_MISSING', message, nextStep, { ...place, cause: failure });
  }
  return cloudError(
    isTopLevelAwait ? 'BUILD_TOP_LEVEL_AWAIT' : 'BUILD_FAILED',
    `The customization code does not compile: ${first?.text ?? failure.message}${others}.`,
    isTopLevelAwait
      ? 'Move the await into the exported function; it may be async.'
      : 'Correct the place shown and save.',
    { ...(location ? { location } : {}), cause: failure },
  );
}

/** esbuild gives this refusal no identifier either. */
const nativeFile = /^No loader is configured for "\.node" files: (.+)$/;

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

async function locate(fs: FileSystem, root: string, message: Message) {
  if (!message.location) return undefined;
  const file = path.resolve(root, message.location.file);
  const { line, lineText, column: bytesBefore } = message.location;
  const column = Buffer.from(lineText).subarray(0, bytesBefore).toString().length + 1;
  const source = await fs.readText(file);
  return { file, line, column, ...(source === null ? {} : { frame: codeFrame(source, line, column) }) };
}
