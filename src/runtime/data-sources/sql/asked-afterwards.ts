/**
 * `ask`, for callers who need an answer to a question that was asked after their call. Those who come while one is under way share the
 * next one.
 */
export function askedAfterwards<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<unknown> | undefined;
  let next: Promise<Answer> | undefined;
  const begin = () => {
    const asked = ask();
    const settled = asked.then(
      () => undefined,
      () => undefined,
    );
    current = settled;
    void settled.then(() => {
      if (current === settled) current = undefined;
    });
    return asked;
  };
  return () => {
    if (!current) return begin();
    next ??= current.then(() => {
      next = undefined;
      return begin();
    });
    return next;
  };
}
