import { type Draft, isEmptyDraft } from './form-state.ts';

/**
 * Drafts that survive a crash, in the browser's own database: by person, environment, collection and record. They go when the record
 * is saved, and after a day. Fields that look like secrets are never in them.
 */
const lifetimeMs = 24 * 3_600_000;
const secretName = /password|secret|token|credential|passphrase|api_?key/i;

export interface KeptDraft {
  readonly draft: Draft;
  /** In milliseconds, by the clock of the machine. */
  readonly keptAt: number;
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('vendor-cloud', 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('drafts'));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}

async function inStore<Result>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(database.transaction('drafts', mode).objectStore('drafts'));
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error));
    });
  } finally {
    database.close();
  }
}

/** A draft of the last day. One of the future is from before somebody set the clock of the machine back, and counts. */
export async function keptDraft(key: string): Promise<KeptDraft | undefined> {
  const kept = (await inStore('readonly', (store) => store.get(key))) as KeptDraft | undefined;
  if (!kept || kept.keptAt + lifetimeMs > Date.now()) return kept;
  await dropDraft(key);
  return undefined;
}

export async function keepDraft(key: string, draft: Draft, keptAt = Date.now()): Promise<void> {
  const texts = Object.fromEntries(Object.entries(draft.texts).filter(([name]) => !secretName.test(name)));
  const safe = { ...draft, texts };
  if (isEmptyDraft(safe)) await dropDraft(key);
  else await inStore('readwrite', (store) => store.put({ draft: safe, keptAt } satisfies KeptDraft, key));
}

export async function dropDraft(key: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(key));
}

/** Everything goes when somebody signs out, with the notes that the tab keeps. */
export async function dropAllDrafts(): Promise<void> {
  sessionStorage.clear();
  await inStore('readwrite', (store) => store.clear());
}
