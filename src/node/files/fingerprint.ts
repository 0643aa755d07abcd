import { hash } from 'node:crypto';
import { type BigIntStats, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { errnoOf, isAbsent } from './file-errors.ts';

/** What lies at a path. */
export interface Fingerprint {
  /** Two looks give equal texts where nothing has changed between them. */
  readonly text: string;
  /** When it was last changed, by the clock of its file system. `undefined` for what is not there. */
  readonly changed: ChangeTime | undefined;
}

/** Nobody can set it back, which a program can do with the time of the last write. */
export interface ChangeTime {
  readonly nanoseconds: bigint;
  /** Times compare within one file system only. */
  readonly device: bigint;
}

/**
 * The content of a file, or that there is a folder or nothing, and where a link leads. Reads at once, because hundreds are looked
 * at in a row. What cannot be read is a fact like others: no program of the same person can read it.
 */
export function fingerprintOfPlace(place: string): Fingerprint {
  return looking(place, (stats) => {
    const real = realpathSync.native(place);
    if (stats.isDirectory()) return { text: `folder ${real}`, changed: undefined };
    const content = stats.isFile() ? hash('sha256', readFileSync(place)) : 'special';
    return { text: `file ${content} ${real}`, changed: changeOf(stats) };
  });
}

/** The names in a folder, with what they stand for, and where links lead. */
export function fingerprintOfFolder(folder: string): Fingerprint {
  return looking(folder, (stats) => {
    if (!stats.isDirectory()) return { text: 'no folder', changed: changeOf(stats) };
    const names = readdirSync(folder, { withFileTypes: true }).map((entry) => {
      if (entry.isSymbolicLink()) return `${entry.name} link ${targetOf(`${folder}/${entry.name}`)}`;
      return `${entry.name} ${entry.isDirectory() ? 'folder' : 'file'}`;
    });
    return { text: [`names in ${realpathSync.native(folder)}`, ...names.sort()].join('\n'), changed: changeOf(stats) };
  });
}

/** When what lies at a path was last changed; `undefined` for what is not there. */
export function changeTimeOf(place: string): ChangeTime | undefined {
  const stats = statsOf(place);
  return stats && changeOf(stats);
}

/** The names in a folder; none where it is missing or cannot be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function isFile(place: string): boolean {
  return statsOf(place)?.isFile() ?? false;
}

export function isFolder(place: string): boolean {
  return statsOf(place)?.isDirectory() ?? false;
}

function statsOf(place: string): BigIntStats | undefined {
  try {
    return statSync(place, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // Node.js has its own idea of no entry: a file in the middle of a path is another error.
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function changeOf({ ctimeNs, dev }: BigIntStats): ChangeTime {
  return { nanoseconds: ctimeNs, device: dev };
}

/** Where a link leads in the end; nothing for one that leads nowhere. */
function targetOf(link: string): string {
  return looking(link, () => ({ text: realpathSync.native(link), changed: undefined })).text;
}

/** What is removed in the midst of a look is not there either. */
function looking(place: string, look: (stats: BigIntStats) => Fingerprint): Fingerprint {
  try {
    const stats = statsOf(place);
    if (stats) return look(stats);
  } catch (error) {
    if (!isAbsent(error)) return { text: `unreadable ${errnoOf(error)}`, changed: undefined };
  }
  return { text: 'nothing', changed: undefined };
}
