import path from 'node:path';
import type { BuildFailure, BuildOptions, Message, Metafile } from 'esbuild';
import { CloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import type { WithVariable } from '#kernel/ports/with-variable';
import { codeFrame } from './code-frame.ts';
import { type PackageSize, packageSizes } from './package-sizes.ts';

/** The customization code as one CommonJS module. */
export interface Bundle {
  readonly code: string;
  /** The same as UTF-8. */
  readonly bytes: Uint8Array;
  /** Absolute paths of every file that went into it, packages left out. */
  readonly inputs: readonly string[];
}

export interface Bundler {
  /** Build, reusing what did not change since the last time. Rejects with `BUILD_FAILED` or `BUILD_TOP_LEVEL_AWAIT`. */
  build(): Promise<Bundle>;
  /** How much of the last build comes from each package, the largest first. */
  packageSizes(): readonly PackageSize[];
  dispose(): Promise<void>;
}

/** esbuild runs in a process of its own that all bundlers share; the last one ends it. */
let openBundlers = 0;

/**
 * esbuild is a Go program, which collects garbage whenever its memory has doubled. Builds come a third faster when it waits until
 * there is five times as much: 15 MB more for a bundle of 5 MB.
 */
const memoryGrowth = { variable: 'GOGC', percent: '400' };

/** Bundles a project's entry with esbuild. The package itself stays outside the bundle, everything else goes in. */
export async function createBundler(
  { fs, withVariable }: { readonly fs: FileSystem; readonly withVariable: WithVariable },
  project: { readonly root: string; readonly entry: string },
): Promise<Bundler> {
  const { context, stop } = await import('esbuild');
  const options = {
    absWorkingDir: project.root,
    entryPoints: [project.entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['@vendor/cloud', '@vendor/cloud/*'],
    outfile: path.join(project.root, 'customization.cjs'),
    sourcemap: 'inline',
    // Places are looked up in the files themselves.
    sourcesContent: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
  } as const satisfies BuildOptions;
  // The first context starts the process.
  const build = await withVariable(memoryGrowth.variable, memoryGrowth.percent, () => context(options));
  openBundlers++;
  let last: Metafile | undefined;
  return {
    async build() {
      try {
        const { outputFiles, metafile } = await build.rebuild();
        last = metafile;
        const inputs = Object.keys(metafile?.inputs ?? {}).filter((file) => !file.includes('node_modules/'));
        const output = outputFiles?.[0];
        return {
          // It is decoded where it is read: a large bundle that is not loaded need not be.
          get code() {
            return output?.text ?? '';
          },
          bytes: output?.contents ?? new Uint8Array(),
          inputs: inputs.map((file) => path.resolve(project.root, file)),
        };
      } catch (error) {
        if (isBuildFailure(error)) throw await buildError(fs, project.root, error);
        throw error;
      }
    },
    packageSizes: () => (last ? packageSizes(last) : []),
    async dispose() {
      await build.dispose();
      if (--openBundlers === 0) await stop();
    },
  };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

async function buildError(fs: FileSystem, root: string, failure: BuildFailure): Promise<CloudError> {
  const [first] = failure.errors;
  const others = failure.errors.length > 1 ? ` (and ${failure.errors.length - 1} more)` : '';
  // esbuild gives this refusal no identifier of its own; the format it names does not occur in other messages.
  const isTopLevelAwait = first?.text.startsWith('Top-level await') === true;
  const location = first ? await locate(fs, root, first) : undefined;
  return new CloudError({
    code: isTopLevelAwait ? 'BUILD_TOP_LEVEL_AWAIT' : 'BUILD_FAILED',
    message: `The customization code does not compile: ${first?.text ?? failure.message}${others}.`,
    nextSteps: [
      isTopLevelAwait
        ? 'Move the await into the exported function; it may be async.'
        : 'Correct the place shown and save.',
    ],
    ...(location ? { location } : {}),
    cause: failure,
  });
}

async function locate(fs: FileSystem, root: string, message: Message) {
  if (!message.location) return undefined;
  const file = path.resolve(root, message.location.file);
  const { line, lineText, column: bytesBefore } = message.location;
  const column = Buffer.from(lineText).subarray(0, bytesBefore).toString().length + 1;
  const source = await fs.readText(file);
  return { file, line, column, ...(source === null ? {} : { frame: codeFrame(source, line, column) }) };
}
