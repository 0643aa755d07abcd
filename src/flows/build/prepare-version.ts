import path from 'node:path';
import { permissionFileName } from '#contracts/project-config';
import type { SchemaDocument } from '#contracts/schema-document';
import { type BundleManifest, contentText, maxBundleBytes } from '#contracts/versions';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import {
  bundleOnce,
  type OutsideModule,
  type OutsideModules,
  type PackageSize,
  type Project,
  recallBundle,
  rememberBundle,
} from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** What a version would be made of, before any platform has it. */
export interface PreparedVersion {
  readonly manifest: Omit<BundleManifest, 'projectId' | 'gitCommit'>;
  /** SHA-256 of what the version serves: of equal ones, a platform makes one version. */
  readonly contentDigest: string;
  /** The bytes that the manifest names, by their digests. */
  readonly parts: readonly { readonly digest: string; readonly bytes: Uint8Array }[];
  /** The customization code. */
  readonly code: string;
  /** The files of the project that the code is made of. */
  readonly inputs: readonly string[];
  readonly packages: readonly PackageSize[];
}

/**
 * Build a project and digest all that a version of it is made of. Warns of modules that a host may lack. Rejects with `BUILD_…` or
 * `BUNDLE_TOO_LARGE`.
 *
 * @param isRemembered whether `recallVersion` is to know of it.
 */
export async function prepareVersion(
  context: FlowContext,
  project: Project,
  { isRemembered = false } = {},
): Promise<PreparedVersion> {
  const remember = isRemembered ? await rememberBundle(context.fs, project, context.variables) : undefined;
  const [{ bundle, metafile, packages, outside }, rightsPart] = await Promise.all([
    bundleOnce(context, project),
    readRights(context, project),
  ]);
  const modules = await outside();
  tellOutsideModules(context, project.root, modules);
  const codePart = partOf(context, bundle.bytes);
  if (codePart.bytes.byteLength > maxBundleBytes) throw tooLarge(codePart.bytes.byteLength, packages);
  await remember?.({ metafile, bundle, packages, doubtful: modules.doubtful });
  const content = contentOfVersion(project, contentOf(codePart), rightsPart);
  return {
    manifest: { formatVersion: 2, ...content, builtWith: context.package.version },
    contentDigest: digestOf(context, content),
    parts: rightsPart ? [codePart, rightsPart] : [codePart],
    get code() {
      return bundle.code;
    },
    inputs: bundle.inputs,
    packages,
  };
}

/** What is known of a version without a build. */
export interface RecalledVersion extends Pick<PreparedVersion, 'contentDigest' | 'packages'> {
  /** Warn of what its build warned of. */
  tellDoubts(): void;
}

/**
 * The version that a build would give, where nothing has changed that a build depends on since the last one. `undefined` where
 * only a build can tell.
 */
export async function recallVersion(context: FlowContext, project: Project): Promise<RecalledVersion | undefined> {
  const code = await recallBundle(context.fs, project, context.variables);
  if (!code) return undefined;
  const { digest, sizeBytes, packages, doubtful } = code;
  const content = contentOfVersion(project, { digest, sizeBytes }, await readRights(context, project));
  return {
    contentDigest: digestOf(context, content),
    packages,
    tellDoubts: () => tellOutsideModules(context, project.root, { missing: [], doubtful }),
  };
}

type Part = PreparedVersion['parts'][number];

async function readRights(context: FlowContext, { root }: Project): Promise<Part | null> {
  const rights = await context.fs.readBytes(path.join(root, permissionFileName));
  return rights && partOf(context, rights);
}

/** All that makes two versions equal. */
function contentOfVersion({ config }: Project, code: BundleManifest['code'], rights: Part | null) {
  return {
    code,
    permissions: rights && contentOf(rights),
    dataSources: config.dataSources,
    ...(config.activityRequired ? { activityRequired: true as const } : {}),
    ...(config.rest ? { rest: config.rest } : {}),
  };
}

function digestOf({ sha256Hex }: FlowContext, content: ReturnType<typeof contentOfVersion>): string {
  return sha256Hex(new TextEncoder().encode(contentText(content)));
}

/** What is sent of a version. */
export type UploadedVersion = Pick<PreparedVersion, 'manifest' | 'contentDigest' | 'parts'>;

/** A version that tells what its code publishes, so that others see what it changes. A schema that no bundle holds stays away. */
export function withSchema(
  context: FlowContext,
  { manifest, contentDigest, parts }: PreparedVersion,
  schema: SchemaDocument,
): UploadedVersion {
  const part = partOf(context, new TextEncoder().encode(canonicalJson(schema)));
  if (part.bytes.byteLength > maxBundleBytes) return { manifest, contentDigest, parts };
  return { manifest: { ...manifest, schema: contentOf(part) }, contentDigest, parts: [...parts, part] };
}

function partOf({ sha256Hex }: FlowContext, bytes: Uint8Array): Part {
  return { digest: sha256Hex(bytes), bytes };
}

function contentOf({ digest, bytes }: Part) {
  return { digest, sizeBytes: bytes.byteLength };
}

/** Packages that the message of a bundle that is too large names. */
const maxNamed = 5;

function tooLarge(sizeBytes: number, packages: readonly PackageSize[]): CloudError {
  const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  const largest = packages
    .slice(0, maxNamed)
    .map((each) => `${each.package ?? 'the project itself'} ${megabytes(each.sizeBytes)} MB`);
  return cloudError(
    'BUNDLE_TOO_LARGE',
    `The built code has ${megabytes(sizeBytes)} MB with its source map; the platform takes ${megabytes(maxBundleBytes)} MB. The largest parts: ${largest.join(', ')}.`,
    'Remove large dependencies or data files from the customization code.',
    { safeDetails: { sizeBytes, packages: packages.slice(0, maxNamed) } },
  );
}

/** Warn of what a host may lack. Throws `BUILD_MODULE_MISSING` for what no host has. */
function tellOutsideModules({ reporter }: FlowContext, root: string, { missing, doubtful }: OutsideModules): void {
  for (const module of doubtful) reporter.warn(`${placeOf(module)}: ${module.message}`, module.nextStep);
  const [first, ...others] = missing;
  if (!first) return;
  const more = others.length > 0 ? ` (and ${others.length} more: ${others.map(placeOf).join(', ')})` : '';
  const { file, line, column } = first;
  throw cloudError('BUILD_MODULE_MISSING', `${first.message}${more}`, first.nextStep, {
    ...(line === undefined
      ? { safeDetails: { file } }
      : { location: { file: path.resolve(root, file), line, ...(column === undefined ? {} : { column }) } }),
  });
}

function placeOf({ file, line, column }: OutsideModule): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}
