import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { Message, Metafile } from 'esbuild';
import type { FileSystem } from '#kernel/ports/file-system';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { packageRoot } from '#node/system/package-files';
import { packageOf } from './package-sizes.ts';

/** Something that built code needs when it runs, and that is not in it. */
export interface OutsideModule {
  /** A file of the project, or of a package, relative to the project. */
  readonly file: string;
  /** Where the file says so: lines and columns count from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Which module, and why a host does not have it. One sentence. */
  readonly message: string;
  readonly nextStep: string;
}

export interface OutsideModules {
  /** What no host has. */
  readonly missing: readonly OutsideModule[];
  /** What a host may lack, or what nobody can tell before the code runs. */
  readonly doubtful: readonly OutsideModule[];
}

/** What a build tells about its modules. */
export interface BuiltModules {
  readonly metafile: Metafile;
  readonly warnings: readonly Message[];
}

const ownPackage = '@vendor/cloud';

/** Packages that parts of this one load when they are used: whoever runs the agent installs them beside it. */
const neededByParts: Readonly<Record<string, string>> = {
  [`${ownPackage}/plugin-file-storage`]: '@aws-sdk/client-s3 @aws-sdk/s3-request-presigner',
  [`${ownPackage}/ai-proxy`]: 'openai or @anthropic-ai/sdk',
};

/** Packages that look for native code of the package that calls them, in the folder of its files. */
const findersOfNativeCode = new Set([
  'bindings',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  '@mapbox/node-pre-gyp',
  'pkg-prebuilds',
]);

/** What esbuild says of places that it cannot look through, by its names of them. It says nothing of the files of packages. */
export const placesToReport = {
  'unsupported-require-call': 'warning',
  'unsupported-dynamic-import': 'warning',
  'indirect-require': 'warning',
} as const;

const inBuiltCode = 'A host has Node.js, @vendor/cloud and the built code, and no other package';

/** Look for what built code needs from outside: Node.js and this package are everywhere. */
export async function outsideModules(fs: FileSystem, root: string, built: BuiltModules): Promise<OutsideModules> {
  const parts = await publicParts(fs);
  const missing: OutsideModule[] = [];
  const doubtful: OutsideModule[] = built.warnings.flatMap(ofWarning);
  for (const { file, module, kind, isOutside } of importsOf(built.metafile)) {
    const place = () => placeOf(fs, root, file, module);
    if (!isOutside) {
      const native = nativePackage(file, module);
      if (native) doubtful.push({ file, ...native });
    } else if (module === ownPackage || module.startsWith(`${ownPackage}/`)) {
      if (!parts.includes(module)) missing.push({ ...(await place()), ...noSuchPart(module, parts) });
      const needed = neededByParts[module];
      if (needed) doubtful.push({ ...(await place()), ...neededByPart(module, needed) });
    } else if (packageOf(file) === null && !isBuiltin(module) && !/^(?:\.|data:)/.test(module)) {
      const isGuarded = !/^https?:/.test(module) && !(kind === 'require-resolve' && isWarnedOf(built, module));
      (isGuarded ? doubtful : missing).push({ ...(await place()), ...notBuiltIn(module, isGuarded) });
    }
  }
  return { missing, doubtful };
}

interface ModuleImport {
  readonly file: string;
  readonly module: string;
  readonly kind: string;
  readonly isOutside: boolean;
}

/** The imports of all files that have a part in the result. */
function importsOf({ inputs, outputs }: Metafile): readonly ModuleImport[] {
  const used = new Set(Object.values(outputs).flatMap((output) => Object.keys(output.inputs)));
  return Object.entries(inputs)
    .filter(([file]) => used.has(file))
    .flatMap(([file, { imports }]) =>
      imports.map(({ path: module, kind, external }) => ({ file, module, kind, isOutside: external === true })),
    );
}

/** `@vendor/cloud` and its subpaths. */
async function publicParts(fs: FileSystem): Promise<readonly string[]> {
  const manifest = await fs.readText(path.join(packageRoot, 'package.json'));
  const { exports } = JSON.parse(manifest ?? '{"exports":{}}') as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return Object.keys(exports).map((subpath) => ownPackage + subpath.slice(1));
}

function noSuchPart(module: string, parts: readonly string[]) {
  return {
    message: `"${module}" is not part of ${ownPackage}.${didYouMean(nearestName(module, parts))}`,
    nextStep: `Import from one of ${parts.filter((part) => !part.endsWith('.json')).join(', ')}.`,
  };
}

function neededByPart(module: string, packages: string) {
  return {
    message: `"${module}" needs the package ${packages} on every host.`,
    nextStep: `Install it there beside ${ownPackage}; docs/deploy.md says how.`,
  };
}

function notBuiltIn(module: string, isGuarded: boolean) {
  return {
    message: isGuarded
      ? `"${module}" is not installed, so every host runs the code without it.`
      : `"${module}" does not become a part of the built code. ${inBuiltCode}.`,
    nextStep: isGuarded
      ? `Install it in the project when the code needs it: it then becomes a part of the built code.`
      : `Import it from an installed package by its name, or write what the code needs into a file of the project.`,
  };
}

function nativePackage(file: string, imported: string) {
  const name = packageOf(file);
  const finder = packageOf(imported);
  if (name === finder || finder === null || !findersOfNativeCode.has(finder)) return undefined;
  return nativeModule(name ?? file);
}

/** Native code is a file of its own, which the system loads. */
export function nativeModule(name: string) {
  return {
    message: `"${name}" has native code, which cannot become a part of the built code. ${inBuiltCode}.`,
    nextStep: `Use a package without native code, or run the agent inside an application of yours: docs/embedding.md.`,
  };
}

function ofWarning({ id, location }: Message): readonly OutsideModule[] {
  const what = Object.hasOwn(whatIsReported, id) ? whatIsReported[id as keyof typeof whatIsReported] : undefined;
  if (!what || !location) return [];
  const { file, line, column: bytesBefore, lineText } = location;
  const column = Buffer.from(lineText).subarray(0, bytesBefore).toString().length + 1;
  return [{ file, line, column, ...what }];
}

const unnamed = {
  message: `The module that is loaded here is known only when the code runs. ${inBuiltCode}.`,
  nextStep: 'Write the name of the module as a string: it then becomes a part of the built code.',
};

const whatIsReported = {
  'unsupported-require-call': unnamed,
  'unsupported-dynamic-import': unnamed,
  'indirect-require': unnamed,
  'empty-import-meta': {
    message: 'The built code is one file without an "import.meta", and the files beside the source are not on a host.',
    nextStep: 'Import the file that is read here: JSON and text become a part of the built code.',
  },
} as const;

/** esbuild warns of a call of `require.resolve` that nothing guards. */
function isWarnedOf({ warnings }: BuiltModules, module: string): boolean {
  return warnings.some(({ id, text }) => id === 'require-resolve-not-external' && text.startsWith(`"${module}"`));
}

async function placeOf(fs: FileSystem, root: string, file: string, module: string) {
  const lines = ((await fs.readText(path.resolve(root, file))) ?? '').split('\n');
  const quoted = [`'${module}'`, `"${module}"`, `\`${module}\``];
  const index = lines.findIndex((line) => quoted.some((text) => line.includes(text)));
  if (index === -1) return { file };
  return { file, line: index + 1, column: Math.max(...quoted.map((text) => lines[index]?.indexOf(text) ?? -1)) + 1 };
}
