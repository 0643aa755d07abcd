import { nodeFileSystem } from '#host/node-file-system';
import type { FileSystem } from '#kernel/ports/file-system';
import type { SqlCatalogue } from './sql-engine.ts';

/** Counts up whenever what is kept changes its meaning; what an older or newer version wrote is read afresh. */
const formatVersion = 1;

export interface CachedCatalogue {
  readonly fingerprint: string;
  readonly catalogue: SqlCatalogue;
}

/** The catalogue of a database as it was read last, kept on disk. */
export interface CatalogueCache {
  /** `null` where there is none, or none of this version. */
  read(): Promise<CachedCatalogue | null>;
  write(cached: CachedCatalogue): Promise<void>;
}

/** A cache in one file. Losing or damaging it costs the time of one reading of the catalogue. */
export function createCatalogueCache(path: string, fs: FileSystem = nodeFileSystem): CatalogueCache {
  return {
    async read() {
      const text = await fs.readText(path);
      const kept = text === null ? null : parsed(text);
      return isCurrent(kept) ? { fingerprint: kept.fingerprint, catalogue: kept.catalogue } : null;
    },
    write: (cached) => fs.writeAtomically(path, JSON.stringify({ formatVersion, ...cached })),
  };
}

function isCurrent(kept: unknown): kept is CachedCatalogue {
  return typeof kept === 'object' && kept !== null && 'formatVersion' in kept && kept.formatVersion === formatVersion;
}

/** A file that is no JSON is like none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
