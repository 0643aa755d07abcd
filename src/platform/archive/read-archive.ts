import { type ArchiveManifest, manifestFolder, readManifest } from '#contracts/audit/archive';
import { readSegment, type Segment } from '#contracts/audit/segment';
import { BrokenLog } from '#contracts/audit/verdict';
import type { ObjectStore } from '#kernel/ports/object-store';

/** A month that an archive has. */
export interface ArchivedMonth {
  readonly manifest: ArchiveManifest;
  readonly segment: Segment;
  /** Where the manifest lies. */
  readonly path: string;
}

/** How often what is read is read again where a run changes the archive meanwhile. */
export const archiveAttempts = 5;

/**
 * The months of an archive, those of each log by time. The manifest of a month that knows of the newest erasure counts. A run that follows
 * an erasure puts a manifest in the place of another one: the archive is read again when one is gone that was there a moment before.
 *
 * @throws `BrokenLog` for a manifest that cannot be read.
 */
export async function readArchive(
  objects: ObjectStore,
  folder = `${manifestFolder}/`,
): Promise<readonly ArchivedMonth[]> {
  for (let attempt = 1; attempt <= archiveAttempts; attempt++) {
    const months = await readMonths(objects, folder);
    if (months) return months;
  }
  throw new BrokenLog('unreadable', 0, 'Manifests of the archive go while they are read.');
}

/** The same text as before where no run has changed the archive meanwhile. */
export async function manifestPaths(objects: ObjectStore): Promise<string> {
  return (await objects.list(`${manifestFolder}/`)).map(({ path }) => path).join('\n');
}

/** `undefined` where a manifest is gone meanwhile. */
async function readMonths(objects: ObjectStore, folder: string): Promise<readonly ArchivedMonth[] | undefined> {
  const months = new Map<string, ArchivedMonth>();
  for (const { path } of await objects.list(folder)) {
    const text = await objects.readText(path);
    if (text === null) return undefined;
    const found = readMonth(text, path);
    const name = `${found.segment.chain} ${found.segment.month}`;
    const other = months.get(name);
    if (!other || generationOf(found.path) > generationOf(other.path)) months.set(name, found);
  }
  return [...months.values()].sort(
    ({ segment: one }, { segment: other }) => compare(one.chain, other.chain) || one.first - other.first,
  );
}

function readMonth(text: string, path: string): ArchivedMonth {
  const manifest = readManifest(text);
  const segment = manifest && readSegment(manifest.note);
  if (manifest && segment) return { manifest, segment, path };
  throw new BrokenLog('unreadable', 0, `The manifest ${path} cannot be read, or a newer vendor-cloud wrote it.`);
}

/** The number at the end of the name of a manifest or of values: how much was erased by then. */
export function generationOf(path: string): number {
  return Number(/-(\d+)\.(?:json|parquet)$/.exec(path)?.[1] ?? -1);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** Whether the files of a month are there, and as long as they were. What they hold is not looked at. */
export async function isComplete(objects: ObjectStore, { manifest }: ArchivedMonth): Promise<boolean> {
  for (const { path, bytes } of [manifest.rows, manifest.records, manifest.values]) {
    const found = (await objects.list(path)).find((each) => each.path === path);
    if (found?.bytes !== bytes) return false;
  }
  return true;
}
