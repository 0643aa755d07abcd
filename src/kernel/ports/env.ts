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

/**
 * Do something while an environment variable of this process has a value, for a library that starts a program and has no other
 * way to give it a variable. A value that the variable has already stays. `work` starts the program before it returns.
 */
export type WithVariable = <Result>(name: string, value: string, work: () => Result) => Result;
