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

const pages = new BroadcastChannel('vendor-cloud unsaved');
type Message = 'is anything unsaved?' | 'unsaved';
/** A page that is in the browser answers within a few milliseconds. */
const waitMs = 300;

pages.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'is anything unsaved?' && hasUnsaved()) pages.postMessage('unsaved' satisfies Message);
});

/** Whether another page of the browser holds something that is not saved. */
export async function isUnsavedElsewhere(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const hear = ({ data }: MessageEvent<Message>) => data === 'unsaved' && resolve(true);
  pages.addEventListener('message', hear);
  pages.postMessage('is anything unsaved?' satisfies Message);
  setTimeout(() => resolve(false), waitMs);
  const isUnsaved = await promise;
  pages.removeEventListener('message', hear);
  return isUnsaved;
}
