/**
 * Do something while an environment variable of this process has a value, for a library that starts a program and has no other
 * way to give it a variable. A value that the variable has already stays.
 *
 * @param work starts the program before it returns.
 */
export function withVariable<Result>(name: string, value: string, work: () => Result): Result {
  if (process.env[name] !== undefined) return work();
  process.env[name] = value;
  try {
    return work();
  } finally {
    delete process.env[name];
  }
}
