import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';

const deadlineMs = 10_000;

/** What a new project writes as the version of this package, so that its package manager finds it. */
export interface PackageSource {
  readonly version: string;
  /** The tarball or folder on this machine, where it comes from one. */
  readonly place?: string;
}

/**
 * Where this package came from: a new project takes it from there too. The manifest and the record of npm beside the folder of
 * packages tell it. Where neither does, as in a global installation, the registry is asked whether it has this version.
 */
export async function packageSource(context: FlowContext): Promise<PackageSource> {
  const { package: own } = context;
  if (!own.root.split(path.sep).includes('node_modules')) return takenFrom(own.root);
  for (const folder of foldersOfPackages(own.root)) {
    const source = (await sourceInRecord(context, folder)) ?? (await sourceInManifest(context, folder));
    if (source === undefined) continue;
    const place = /^(?:file|link|portal):(.+)$/.exec(source)?.[1];
    if (place === undefined) return { version: isAddress(source) ? source : own.version };
    const found = path.resolve(folder, place);
    // A tarball may be gone by now, and what it was unpacked to is there.
    return takenFrom((await context.fs.exists(found)) ? found : own.root);
  }
  return (await isPublished(context)) ? { version: own.version } : takenFrom(own.root);
}

function takenFrom(place: string): PackageSource {
  return { version: `file:${place.split(path.sep).join('/')}`, place };
}

/** The folders that hold a `node_modules` with this package, the innermost first. */
function foldersOfPackages(root: string): readonly string[] {
  const parts = root.split(path.sep);
  return parts
    .flatMap((part, index) => (part === 'node_modules' ? [parts.slice(0, index).join(path.sep)] : []))
    .reverse();
}

/** What npm wrote down of its installation. */
async function sourceInRecord({ fs, package: own }: FlowContext, folder: string): Promise<string | undefined> {
  const place = path.relative(folder, own.root).split(path.sep).join('/');
  const record = await readObject(fs, path.join(folder, 'node_modules', '.package-lock.json'));
  const { version, resolved } = member(member(record, 'packages'), place);
  if (typeof resolved !== 'string') return typeof version === 'string' ? version : undefined;
  // The registries name their tarballs so.
  return resolved.includes('/-/') ? own.version : resolved;
}

/** What a person or a package manager wrote into the manifest of the folder. */
async function sourceInManifest({ fs, package: own }: FlowContext, folder: string): Promise<string | undefined> {
  const manifest = await readObject(fs, path.join(folder, 'package.json'));
  const wanted = { ...member(manifest, 'devDependencies'), ...member(manifest, 'dependencies') }[own.name];
  return typeof wanted === 'string' ? wanted : undefined;
}

/** The address of a tarball or of a repository, and no range of versions. */
function isAddress(source: string): boolean {
  return /^(?:https?|git\+\w+|git|github):/.test(source);
}

async function isPublished({ tools, package: own }: FlowContext): Promise<boolean> {
  const parameters = ['view', `${own.name}@${own.version}`, 'version'];
  const { exitCode, stdout } = await tools.run({ program: 'npm', parameters, deadlineMs });
  return exitCode === 0 && stdout.trim() === own.version;
}

type JsonObject = Readonly<Record<string, unknown>>;

async function readObject(fs: FlowContext['fs'], file: string): Promise<JsonObject> {
  const text = await fs.readText(file);
  return text === null ? {} : objectOf(parsed(text));
}

function member(object: JsonObject, name: string): JsonObject {
  return objectOf(object[name]);
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}

/** A file of somebody else's that cannot be read tells nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
