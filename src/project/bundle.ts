import path from 'node:path';
import type { BuildOptions, BuildResult } from 'esbuild';
import { placesToReport } from './outside-modules.ts';

/** The customization code as one CommonJS module. */
export interface Bundle {
  readonly code: string;
  /** The same as UTF-8. */
  readonly bytes: Uint8Array;
  /** Absolute paths of every file that went into it, dashboards with them, packages left out. */
  readonly inputs: readonly string[];
}

/** What is bundled: absolute paths of the folder of a project and of its entry. */
export interface BundledProject {
  readonly root: string;
  readonly entry: string;
}

/** The package itself stays outside the bundle, everything else goes in. */
export function bundleOptions({ root, entry }: BundledProject) {
  return {
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    external: ['@vendor/cloud', '@vendor/cloud/*'],
    outfile: path.join(root, 'customization.cjs'),
    sourcemap: 'inline',
    // Places are looked up in the files themselves.
    sourcesContent: false,
    write: false,
    metafile: true,
    logLevel: 'silent',
    logOverride: placesToReport,
  } as const satisfies BuildOptions;
}

type Built = Pick<BuildResult<ReturnType<typeof bundleOptions>>, 'outputFiles' | 'metafile'>;

/** What a bundle carries besides the code. */
export interface BundledData {
  readonly files: readonly string[];
  /** The code with that data; absent where there is none. */
  readonly carriedBy?: (code: string) => string;
}

export function bundleOf({ outputFiles, metafile }: Built, root: string, data: BundledData): Bundle {
  const inputs = Object.keys(metafile.inputs).filter((file) => !file.includes('node_modules/'));
  const [output] = outputFiles;
  const all = [...inputs.map((file) => path.resolve(root, file)), ...data.files];
  if (data.carriedBy) {
    const code = data.carriedBy(output?.text ?? '');
    return { code, bytes: new TextEncoder().encode(code), inputs: all };
  }
  return {
    // It is decoded where it is read: a large bundle that is not loaded need not be.
    get code() {
      return output?.text ?? '';
    },
    bytes: output?.contents ?? new Uint8Array(),
    inputs: all,
  };
}
