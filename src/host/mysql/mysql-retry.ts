const maxAttempts = 3;

/** Do `work` again, a few times at most, when it fails in a way that may be gone the next time. */
export async function repeating<Result>(
  work: () => Promise<Result>,
  isRepeatable: (error: unknown) => boolean,
  before: () => Promise<void> = async () => {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts || !isRepeatable(error)) throw error;
      await before();
    }
  }
}
