import { createHmac } from 'node:crypto';
import path from 'node:path';
import type * as z from 'zod';
import type { Clock } from '#kernel/ports/clock';
import type { FileSystem } from '#kernel/ports/file-system';
import { environmentDigest } from '#node/system/digest';

/** An older document is not used, however long the platform is away. */
const maxAgeMs = 7 * 24 * 60 * 60_000;
/** A document that has not changed is written again after this time, which makes it young again. */
const renewedAfterMs = 60 * 60_000;
const fileMode = { mode: 0o600 };
const formatVersion = 1;

/** The permission documents as the platform gave them last, kept on disk. */
export interface LastKnownPermissions {
  /** `undefined` when there is none, or it is too old or does not fit `schema`. */
  find<Schema extends z.ZodType>(name: string, schema: Schema): Promise<z.output<Schema> | undefined>;
  keep(name: string, document: unknown): void;
  /** The document is out of date. */
  drop(name: string): void;
  /** All documents whose name begins with `prefix`. */
  dropAll(prefix?: string): void;
  /** Resolves when everything is written. */
  flush(): Promise<void>;
}

export interface LastKnownOptions {
  readonly fs: FileSystem;
  readonly clock: Clock;
  readonly folder: string;
  readonly envSecret: string;
  readonly serverUrl: string;
  /** Told once, when the documents cannot be written. */
  onUnwritable(error: unknown): void;
}

interface Entry {
  readonly savedAt: number;
  readonly document: unknown;
}

/**
 * Documents in one file for each environment and platform, readable by its owner only. It is sealed with the secret of the
 * environment, so the agent ignores a file that somebody else has written.
 */
export function createLastKnownPermissions(options: LastKnownOptions): LastKnownPermissions {
  const { fs, clock, folder } = options;
  const key = `${options.envSecret} ${options.serverUrl}`;
  const file = path.join(folder, `permissions-${environmentDigest(options.envSecret, options.serverUrl)}.json`);
  const isRecent = ({ savedAt }: Entry) => clock.now() - savedAt <= maxAgeMs;
  let loading: Promise<Map<string, Entry>> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isWaiting = false;
  let isUnwritable = false;

  const load = () => {
    // An unreadable file is like none: the platform says everything again.
    loading ??= fs.readText(file).then(
      (text) => unsealed(text, key),
      () => new Map(),
    );
    return loading;
  };
  const write = async () => {
    isWaiting = false;
    try {
      const entries = [...(await load())].filter(([, entry]) => isRecent(entry));
      await fs.makePrivateFolder(folder);
      await fs.createExclusively(path.join(folder, '.gitignore'), '*\n', fileMode);
      await fs.writeAtomically(file, sealed(Object.fromEntries(entries), key), fileMode);
    } catch (error) {
      if (!isUnwritable) options.onUnwritable(error);
      isUnwritable = true;
    }
  };
  const change = (alter: (entries: Map<string, Entry>) => boolean) => {
    void load().then((entries) => {
      if (!alter(entries) || isWaiting) return;
      isWaiting = true;
      writing = writing.then(write);
    });
  };

  return {
    find: async (name, schema) => {
      const entry = (await load()).get(name);
      const parsed = schema.safeParse(entry && isRecent(entry) ? entry.document : undefined);
      return parsed.success ? parsed.data : undefined;
    },
    keep: (name, document) =>
      change((entries) => {
        const known = entries.get(name);
        const isSame = known !== undefined && JSON.stringify(known.document) === JSON.stringify(document);
        if (isSame && clock.now() - known.savedAt < renewedAfterMs) return false;
        entries.set(name, { savedAt: clock.now(), document });
        return true;
      }),
    drop: (name) => change((entries) => entries.delete(name)),
    dropAll: (prefix = '') =>
      change((entries) => {
        const dropped = [...entries.keys()].filter((name) => name.startsWith(prefix));
        for (const name of dropped) entries.delete(name);
        return dropped.length > 0;
      }),
    flush: async () => {
      await load();
      await writing;
    },
  };
}

/** The seal in the first line, the entries in the rest. */
function sealed(entries: Readonly<Record<string, Entry>>, key: string): string {
  const text = JSON.stringify({ formatVersion, entries });
  return `${sealOf(text, key)}\n${text}\n`;
}

function unsealed(content: string | null, key: string): Map<string, Entry> {
  const [seal, text = ''] = (content ?? '').split('\n', 2);
  if (seal !== sealOf(text, key)) return new Map();
  // The seal says that this code has written it.
  const kept: { formatVersion: number; entries: Record<string, Entry> } = JSON.parse(text);
  return new Map(kept.formatVersion === formatVersion ? Object.entries(kept.entries) : []);
}

function sealOf(text: string, key: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
