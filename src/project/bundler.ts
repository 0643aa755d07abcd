import type { FileSystem } from '#kernel/ports/file-system';
import type { WithVariable } from '#kernel/ports/with-variable';
import { buildErrorOf } from './build-error.ts';
import { type Bundle, type BundledProject, bundleOf, bundleOptions } from './bundle.ts';
import { type OutsideModules, outsideModules } from './outside-modules.ts';
import { type PackageSize, packageSizes } from './package-sizes.ts';

export interface Bundler {
  /** Build, reusing what did not change since the last time. Rejects with `BUILD_FAILED` or `BUILD_TOP_LEVEL_AWAIT`. */
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
        return bundleOf(await build.rebuild(), project.root);
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
  /** How much of it comes from each package, the largest first. */
  readonly packages: readonly PackageSize[];
  /** What it needs when it runs, and does not hold. */
  outside(): Promise<OutsideModules>;
}

/** Bundle the entry of a project once. Rejects with `BUILD_FAILED` or `BUILD_TOP_LEVEL_AWAIT`. */
export async function bundleOnce({ fs, withVariable }: BundlingHost, project: BundledProject): Promise<ExaminedBundle> {
  const { stop, build } = await import('esbuild');
  openBundlers++;
  try {
    const built = await withVariable(memoryGrowth.variable, memoryGrowth.percent, () => build(bundleOptions(project)));
    return {
      bundle: bundleOf(built, project.root),
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
