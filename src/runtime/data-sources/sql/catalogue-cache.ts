import type { FileSystem } from '#kernel/ports/file-system';
import { nodeFileSystem } from '#node/files/node-file-system';
import { sha256Hex } from '#node/system/digest';
import { packageVersion } from '#node/system/package-files';
import type { SqlCatalogue } from './sql-engine.ts';

/** The owner of the catalogue: another database, user or choice of schemas has other tables. */
export interface CatalogueOrigin {
  readonly dialect: string;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Of SQLite, the path of the file. */
  readonly database: string;
  readonly user?: string | undefined;
  readonly schemas?: readonly string[] | undefined;
}

export interface CachedCatalogue {
  readonly fingerprint: string;
  readonly catalogue: SqlCatalogue;
}

/** The catalogue of a database as it was read last, kept on disk. */
export interface CatalogueCache {
  /** `null` if there is none, or none of this origin and version. */
  read(): Promise<CachedCatalogue | null>;
  write(cached: CachedCatalogue): Promise<void>;
}

/**
 * A cache in one file. Losing or damaging it costs the time of one reading of the catalogue. What another version of the
 * package wrote is read afresh, as it may mean something else.
 *
 * Its methods throw `MACHINE_FILE_…`.
 */
export function createCatalogueCache(
  path: string,
  origin: CatalogueOrigin,
  fs: FileSystem = nodeFileSystem,
): CatalogueCache {
  const { dialect, host, port, database, user, schemas } = origin;
  const key = sha256Hex(JSON.stringify([packageVersion(), dialect, host, port, database, user, schemas]));
  return {
    async read() {
      const text = await fs.readText(path);
      const kept = text === null ? null : parsed(text);
      return isOf(key, kept) ? { fingerprint: kept.fingerprint, catalogue: kept.catalogue } : null;
    },
    write: (cached) => fs.writeAtomically(path, JSON.stringify({ key, ...cached }), { mode: 0o600 }),
  };
}

function isOf(key: string, kept: unknown): kept is CachedCatalogue {
  return typeof kept === 'object' && kept !== null && 'key' in kept && kept.key === key;
}

/** A file that is not JSON is like none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
