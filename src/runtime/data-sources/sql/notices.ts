/** What a data source has to say in the log while it runs: each sentence once. */
export interface Notices {
  tell(sentence: string): void;
  /** `listener` gets what is told from now on, and what was told before anybody listened. */
  onNotice(listener: (sentence: string) => void): void;
}

/** Of more sentences than that the oldest is forgotten, and told again where it still holds. */
const mostKept = 1000;

export function createNotices(): Notices {
  const told = new Set<string>();
  const listeners: ((sentence: string) => void)[] = [];
  return {
    tell(sentence) {
      if (told.has(sentence)) return;
      const [oldest] = told;
      if (told.size >= mostKept && oldest !== undefined) told.delete(oldest);
      told.add(sentence);
      for (const listener of listeners) listener(sentence);
    },
    onNotice(listener) {
      if (listeners.length === 0) for (const sentence of told) listener(sentence);
      listeners.push(listener);
    },
  };
}
