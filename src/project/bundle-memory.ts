import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import * as z from 'zod';
import { dashboardFolder } from '#contracts/project-config';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import {
  type ChangeTime,
  changeTimeOf,
  type Fingerprint,
  fingerprintOfFolder,
  fingerprintOfPlace,
  namesIn,
} from '#node/files/fingerprint';
import { sha256Hex } from '#node/system/digest';
import { packageVersion } from '#node/system/package-files';
import { type Bundle, type BundledProject, bundleOptions } from './bundle.ts';
import { type BuildPaths, foldersUpwards, pathsOfBuild, pathsOfPackage } from './resolution-paths.ts';

/** Beside the state of the local platform, which git ignores. */
const memoryFile = '.vendor-cloud/last-build.json';

const moduleSchema = z.object({
  file: z.string(),
  line: z.number().exactOptional(),
  column: z.number().exactOptional(),
  message: z.string(),
  nextStep: z.string(),
});

const bundleSchema = z.object({
  /** SHA-256 of the code. */
  digest: z.string(),
  sizeBytes: z.number(),
  packages: z.array(z.object({ package: z.string().nullable(), sizeBytes: z.number() })).readonly(),
  /** What the build warned of. */
  doubtful: z.array(moduleSchema).readonly(),
});

const memorySchema = z.object({
  maker: z.string(),
  places: z.array(z.string()),
  folders: z.array(z.string()),
  /** SHA-256 of all that lies there. */
  inputs: z.string(),
  bundle: bundleSchema,
});

/** What is known of a bundle without its code. */
export type RememberedBundle = z.infer<typeof bundleSchema>;

/** What a build that has just ended tells of itself. */
interface EndedBuild extends Pick<RememberedBundle, 'packages' | 'doubtful'> {
  readonly metafile: Metafile;
  readonly bundle: Bundle;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What a build of a project would give, where everything that it depends on is as it was at the last one. `undefined` where
 * anything has changed, and where nobody can tell.
 */
export async function recallBundle(
  fs: FileSystem,
  project: BundledProject,
  variables: Variables,
): Promise<RememberedBundle | undefined> {
  const text = await fs.readText(path.join(project.root, memoryFile));
  const memory = memorySchema.safeParse(text && parsed(text));
  if (!memory.success) return undefined;
  const { maker, inputs, bundle, ...paths } = memory.data;
  if (maker !== makerOf(project, variables)) return undefined;
  return digestOf(lookAt(paths)) === inputs ? bundle : undefined;
}

/**
 * Call it before a build begins, and what it gives once the build has ended. What has changed meanwhile is not remembered: the
 * build may have read it before or after. A project whose folder cannot be written is built each time.
 */
export async function rememberBundle(
  fs: FileSystem,
  project: BundledProject,
  variables: Variables,
): Promise<(build: EndedBuild) => Promise<void>> {
  const file = path.join(project.root, memoryFile);
  const maker = makerOf(project, variables);
  const isMarked = await ifWritable(async () => {
    await fs.remove(file);
    return fs.createExclusively(file, '');
  });
  // The clock of this machine may differ from that of the file system, which the times of files come from.
  const begin = isMarked ? changeTimeOf(file) : undefined;
  if (!begin) return () => Promise.resolve();
  const namesBefore = namesUpwards(project.root);
  return async ({ metafile, bundle, packages, doubtful }) => {
    const paths = pathsWith(pathsOfBuild(metafile, project), bundle, project.root);
    if (!paths || maker !== makerOf(project, variables)) return;
    const looks = lookAt(paths);
    if (!looks.every((look) => isOlder(look, begin, namesBefore))) return;
    const { bytes } = bundle;
    const known = { digest: sha256Hex(bytes), sizeBytes: bytes.byteLength, packages, doubtful };
    const memory = { maker, ...paths, inputs: digestOf(looks), bundle: known };
    await ifWritable(() => fs.writeAtomically(file, JSON.stringify(memory)));
  };
}

/** The files of dashboards are not modules: the bundler reads them by itself. */
function pathsWith(modules: BuildPaths | undefined, { inputs }: Bundle, root: string): BuildPaths | undefined {
  if (!modules) return undefined;
  return {
    places: [...new Set([...modules.places, ...inputs])],
    folders: [...modules.folders, path.join(root, dashboardFolder)],
  };
}

/** Who builds, what, and how. The address of this module changes with its code. */
function makerOf(project: BundledProject, variables: Variables): string {
  const { NODE_PATH, ESBUILD_BINARY_PATH } = variables;
  const module = fileURLToPath(import.meta.url);
  const esbuild = lookAt(pathsOfPackage(path.dirname(module), 'esbuild')).map(({ text }) => text);
  const maker = [packageVersion(), module, esbuild, NODE_PATH, ESBUILD_BINARY_PATH, bundleOptions(project)];
  return sha256Hex(JSON.stringify(maker));
}

interface Look extends Fingerprint {
  readonly place: string;
}

function lookAt({ places, folders }: BuildPaths): readonly Look[] {
  return [
    ...places.map((place) => ({ place, ...fingerprintOfPlace(place) })),
    ...folders.map((place) => ({ place, ...fingerprintOfFolder(place) })),
  ];
}

function digestOf(looks: readonly Look[]): string {
  return sha256Hex(JSON.stringify(looks.map(({ text }) => text)));
}

type NamesByFolder = ReadonlyMap<string, ReadonlySet<string>>;

/** The names in the folder of a project and in those above it. Databases and other programs write there all the time. */
function namesUpwards(root: string): NamesByFolder {
  return new Map(foldersUpwards(root).map((folder) => [folder, new Set(namesIn(folder))]));
}

/** Whether what was seen is what a build has seen that began later. */
function isOlder({ place, text, changed }: Look, begin: ChangeTime, namesBefore: NamesByFolder): boolean {
  if (text === 'nothing') return wasMissing(place, begin, namesBefore);
  return !changed || isBefore(changed, begin);
}

/** What is not there was not there before either, where the folder that would hold it has not changed, or had no such name. */
function wasMissing(place: string, begin: ChangeTime, namesBefore: NamesByFolder): boolean {
  const folder = path.dirname(place);
  const changed = changeTimeOf(folder);
  if (!changed) return folder !== place && wasMissing(folder, begin, namesBefore);
  const names = namesBefore.get(folder);
  return names ? !names.has(path.basename(place)) : isBefore(changed, begin);
}

function isBefore({ nanoseconds, device }: ChangeTime, begin: ChangeTime): boolean {
  return device === begin.device && nanoseconds < begin.nanoseconds;
}

/** What is cut short or is not JSON is not memory. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A memory saves time, and nothing else depends on it. */
async function ifWritable<Result>(write: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isCloudError(error) && error.code === 'MACHINE_FILE_NOT_WRITABLE') return undefined;
    throw error;
  }
}
