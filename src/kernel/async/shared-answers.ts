/**
 * Ask once for all who ask the same meanwhile. The answer that somebody gets is always one that was asked for after they came, so that
 * nobody learns about what was so before. Whoever comes while a question is under way shares the next one.
 *
 * @param ask What a failure rejects is rejected for all who share the question.
 * @example
 * const find = shareAnswers((id: string) => db.find(id));
 * await Promise.all([find('a'), find('a'), find('a')]); // two questions
 */
export function shareAnswers<Answer>(ask: (key: string) => Promise<Answer>): (key: string) => Promise<Answer> {
  const asked = new Map<string, { current: Promise<Answer>; next: Promise<Answer> | undefined }>();
  const begin = (key: string): Promise<Answer> => {
    const question = { current: ask(key), next: undefined as Promise<Answer> | undefined };
    asked.set(key, question);
    const end = () => {
      if (!question.next) asked.delete(key);
    };
    question.current.then(end, end);
    return question.current;
  };
  return (key) => {
    const under = asked.get(key);
    if (!under) return begin(key);
    under.next ??= under.current.then(
      () => begin(key),
      () => begin(key),
    );
    return under.next;
  };
}
