import { useSyncExternalStore } from 'react';
import { setZone } from '../wire/agent.ts';
import { ask, RequestFailed } from '../wire/http.ts';
import { impersonationId } from '../wire/session.ts';

/** What one person likes, on this machine first, so that the first picture does not wait for a server. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly density: 'compact' | 'normal' | 'roomy';
  /** The code of a language, `en` for instance. */
  readonly language: string;
  /** The IANA zone that times are shown in; empty for that of the machine. */
  readonly zone: string;
  readonly singleKeys: boolean;
  /** Whether the platform sends mails about approvals. It reads this one itself. */
  readonly approvalMails: boolean;
  /** When the newest answer came that the person has seen of those to their requests for approvals; empty before the first one. */
  readonly answersSeenAt: string;
  /** Widths of columns in pixels, by collection and column. */
  readonly widths: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The columns that somebody chose, by collection, as an address has them. */
  readonly columns: Readonly<Record<string, string>>;
  /** Lists that the person has arranged for themselves, by collection. */
  readonly views: Readonly<Record<string, readonly OwnView[]>>;
}

export interface OwnView {
  readonly name: string;
  readonly document: Readonly<Record<string, unknown>>;
}

const place = 'vendor-cloud preferences';
/** A drag of an edge changes a width many times; the last one is sent. */
const pauseMs = 1_000;
let areMailsChosen = false;
let sending: ReturnType<typeof setTimeout> | undefined;
const first: Preferences = {
  theme: 'system',
  density: 'normal',
  zone: '',
  language: 'en',
  singleKeys: true,
  approvalMails: true,
  answersSeenAt: '',
  widths: {},
  columns: {},
  views: {},
};
let current = read();
const listeners = new Set<() => void>();

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  areMailsChosen ||= change.approvalMails !== undefined;
  keepHere();
  clearTimeout(sending);
  if (impersonationId() !== undefined) return;
  sending = setTimeout(() => {
    const { approvalMails, ...console } = current;
    // A page that does not know yet what the person said about mails says nothing about them.
    const said = { console, ...(areMailsChosen ? { approvalMails } : {}) };
    const wereMailsChosen = areMailsChosen;
    areMailsChosen = false;
    void ask('/api/me/preferences', { method: 'PATCH', body: { preferences: said } }).catch((error: unknown) => {
      // It stays on this machine, and goes with the next change.
      areMailsChosen ||= wereMailsChosen;
      ignoreRefusal(error);
    });
  }, pauseMs);
}

/** Take what the person keeps at the platform, so that another machine looks the same. Somebody else’s view looks like one’s own. */
export async function fetchPreferences(): Promise<void> {
  if (impersonationId() !== undefined) return;
  const answer = await ask<{ preferences: Kept }>('/api/me/preferences').catch(ignoreRefusal);
  // Without an answer, the page goes on with what this machine knows.
  if (!answer) return;
  const { preferences: kept } = answer;
  if (!kept.console && kept.approvalMails === undefined) return;
  current = { ...current, ...kept.console, approvalMails: kept.approvalMails !== false };
  keepHere();
}

/** What people like is no reason to stop them. Anything but a refusal is a fault of the page. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RequestFailed)) throw error;
}

interface Kept {
  readonly console?: Partial<Preferences>;
  readonly approvalMails?: boolean;
}

function keepHere(): void {
  localStorage.setItem(place, JSON.stringify(current));
  applyPreferences();
  for (const listener of listeners) listener();
}

export function usePreferences(): Preferences {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, preferences);
}

/** The style sheet reads theme and density from the root element; requests have the zone. */
export function applyPreferences(): void {
  const { theme, density, zone } = current;
  setZone(zone);
  const { dataset } = document.documentElement;
  dataset['theme'] = theme;
  dataset['density'] = density;
}

function read(): Preferences {
  const kept = localStorage.getItem(place);
  return kept === null ? first : { ...first, ...(JSON.parse(kept) as Partial<Preferences>) };
}
