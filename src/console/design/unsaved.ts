const guards = new Set<() => boolean>();

/** Takes note of something that can be unsaved. Returns what forgets it. */
export function noteGuard(isUnsaved: () => boolean): () => void {
  guards.add(isUnsaved);
  return () => void guards.delete(isUnsaved);
}

/** Whether the page holds something that is not saved. Who is about to leave it in another way than by a link asks. */
export function hasUnsaved(): boolean {
  return [...guards].some((guard) => guard());
}
