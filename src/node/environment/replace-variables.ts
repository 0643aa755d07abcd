type Variables = Readonly<Record<string, string>>;

/** Take some environment variables away from this thread, and give it others. A worker has an environment of its own. */
export function replaceVariables(before: Variables, after: Variables): void {
  for (const name of Object.keys(before)) delete process.env[name];
  Object.assign(process.env, after);
}
