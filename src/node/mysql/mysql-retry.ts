const maxAttempts = 3;

/** Run `work`, and run it again a few times while `isRepeatable` says that the failure may pass. */
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
