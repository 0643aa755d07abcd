/** A read-only view of the environment variables, wherever they came from. */
export interface Env {
  get(name: string): string | undefined;
}

/** An `Env` of several `sources`. The first one that knows a name wins. */
export function layeredEnv(...sources: readonly Readonly<Record<string, string | undefined>>[]): Env {
  return {
    get: (name) => sources.find((source) => source[name] !== undefined)?.[name],
  };
}
