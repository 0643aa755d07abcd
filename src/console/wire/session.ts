/**
 * The session of the browser. The cookie is the server's business: nothing here knows it. When it has ended, every request waits for
 * one sign-in in another window, and the page with what was typed stays.
 */

/** What this page shows is what somebody else sees: the id of that at the platform. It goes with the tab. Workers have no such storage. */
const placeOfImpersonation = 'vendor-cloud impersonation';
const storageOfTab: Storage | undefined = globalThis.sessionStorage;
let impersonation = storageOfTab?.getItem(placeOfImpersonation) ?? undefined;

export function impersonationId(): string | undefined {
  return impersonation;
}

/** The page has to be loaded again: nothing that it holds is of the other person. */
export function setImpersonation(id: string | undefined): void {
  impersonation = id;
  if (id === undefined) storageOfTab?.removeItem(placeOfImpersonation);
  else storageOfTab?.setItem(placeOfImpersonation, id);
}

const channel = new BroadcastChannel('vendor-cloud session');
type Message = { readonly signedIn: number } | 'signed out';
type Listener = (isOver: boolean) => void;
const listeners = new Set<Listener>();
let signedIn: Promise<void> | undefined;
/** Whose session it is; `undefined` before the first answer. */
let person: number | undefined;

/** Where the window of the sign-in ends. The page there says so to the others, and closes. */
export const signedInPath = '/console/signed-in';

/**
 * A request of this page has been answered: from then on a 401 means that the session has ended. Pages that wait for a session learn about it,
 * whichever way somebody signed in.
 */
export function noteSignedIn(id: number): void {
  if (person !== id) channel.postMessage({ signedIn: id } satisfies Message);
  person = id;
}

/** Begin the sign-in in the place of this page, and come back to where it is. */
function signIn(): void {
  location.assign(signInAddress(location.pathname + location.search));
}

/** Begin the sign-in in a window of its own. A click must call it, or browsers refuse. */
export function signInBeside(): void {
  window.open(signInAddress(signedInPath), 'vendor-cloud-sign-in', 'popup,width=520,height=640');
}

/** Leave this page and every other one of the browser: none keeps records on the screen. */
export function leaveEveryPage(): void {
  channel.postMessage('signed out' satisfies Message);
  leaveView();
}

channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'signed out') leaveView();
});

let isGone = false;

/** Whether the page is on its way to the sign-in. Then nothing may hold it up: what it shows must not stay. */
export function isLeaving(): boolean {
  return isGone;
}

/** Load the first page again: nothing of what this one shows stays. */
export function leaveView(): void {
  isGone = true;
  location.assign('/console/');
}

/** Hear when the session ends, and when it begins again. Returns what ends the hearing. */
export function onSession(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Resolves when somebody has signed in again. Before the first answer there is nothing to keep, and the page goes to the sign-in. */
export function holdUntilSignedIn(): Promise<void> {
  if (person === undefined) {
    signIn();
    return new Promise(() => {});
  }
  signedIn ??= new Promise<void>((resolve) => {
    const tell = (isOver: boolean) => {
      for (const listener of listeners) listener(isOver);
    };
    tell(true);
    const hear = ({ data }: MessageEvent<Message>) => {
      if (data === 'signed out') return;
      // What waits here is what somebody else has asked for.
      if (data.signedIn !== person) return leaveView();
      channel.removeEventListener('message', hear);
      signedIn = undefined;
      tell(false);
      resolve();
    };
    channel.addEventListener('message', hear);
  });
  return signedIn;
}

function signInAddress(returnTo: string): string {
  return `/console/sign-in?return=${encodeURIComponent(returnTo)}`;
}
