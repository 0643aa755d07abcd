import type { Logger } from '#kernel/ports/logger';
import type { Store, StoreTransaction } from '../store/store.ts';

/** What has changed in the data of an environment. Nobody keeps it: a page that comes back asks for what it shows. */
export type PageNews =
  /** Records of a collection were written. */
  | { readonly type: 'records'; readonly collection: string }
  /** The activity log has another row. */
  | { readonly type: 'log' }
  /** A note of a collection has changed. */
  | { readonly type: 'note'; readonly collection: string }
  /** A request for an approval was made or answered, or somebody said something about one. */
  | { readonly type: 'approval' };

interface AnnouncedNews {
  readonly environmentId: number;
  readonly news: PageNews;
}

/** Tell the pages of an environment, whichever process of the platform they listen to, once the change is committed. */
export function announceNews(transaction: StoreTransaction, environmentId: number, news: PageNews): void {
  transaction.announce('news', JSON.stringify({ environmentId, news } satisfies AnnouncedNews));
}

/** Passes on to pages what changes often. */
export interface PageNewsHub {
  /** Tell the pages of an environment. The same news goes out at most once a second, the last of it for certain. */
  tell(environmentId: number, news: PageNews): void;
  /** @returns ends the subscription. */
  subscribe(environmentId: number, listener: (news: PageNews) => void): () => void;
  /** What waits does not go out any more. */
  stop(): void;
}

const pauseMs = 1_000;

export function createPageNews(store: Store, logger: Logger): PageNewsHub {
  const listeners = new Map<number, Set<(news: PageNews) => void>>();
  const pauses = new Map<string, Pause>();
  store.listen(
    'news',
    (payload) => {
      const { environmentId, news } = JSON.parse(payload) as AnnouncedNews;
      for (const listener of listeners.get(environmentId) ?? []) listener(news);
    },
    // Nobody knows what was missed. The next change tells again.
    () => undefined,
  );

  const announce = (environmentId: number, news: PageNews): void => {
    store
      .transaction(async (transaction) => announceNews(transaction, environmentId, news))
      .catch((error: unknown) =>
        logger.log('Warn', 'Pages of the console could not be told what has changed.', { error }),
      );
  };

  const pause = (key: string, environmentId: number, news: PageNews): void => {
    const timer = setTimeout(() => {
      const isMore = pauses.get(key)?.isMore === true;
      pauses.delete(key);
      if (!isMore) return;
      announce(environmentId, news);
      pause(key, environmentId, news);
    }, pauseMs);
    timer.unref();
    pauses.set(key, { timer, isMore: false });
  };

  return {
    tell(environmentId, news) {
      const key = JSON.stringify([environmentId, news]);
      const paused = pauses.get(key);
      if (paused) {
        paused.isMore = true;
        return;
      }
      announce(environmentId, news);
      pause(key, environmentId, news);
    },
    subscribe(environmentId, listener) {
      const all = listeners.get(environmentId) ?? new Set();
      listeners.set(environmentId, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(environmentId) === all) listeners.delete(environmentId);
      };
    },
    stop() {
      for (const { timer } of pauses.values()) clearTimeout(timer);
      pauses.clear();
    },
  };
}

/** The time after news in which the same news waits. */
interface Pause {
  readonly timer: NodeJS.Timeout;
  isMore: boolean;
}
