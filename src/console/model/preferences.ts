import { useSyncExternalStore } from 'react';
import { setZone } from '../wire/agent.ts';
import { ask, RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
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
/** Whose they are: a browser may have several people, and a person several projects. */
const placeOfOwner = 'vendor-cloud owner of the preferences';
/** What the platform does not have yet. It is kept until it does: a page may be closed before. */
const placeOfUnsent = 'vendor-cloud preferences to send';
const path = '/api/me/preferences';
/** A drag of an edge changes a width many times; the last one is sent. */
const pauseMs = 1_000;
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
  const changed = withoutKnown(change);
  current = over(current, changed);
  keepHere();
  if (impersonationId() !== undefined) return;
  localStorage.setItem(placeOfUnsent, JSON.stringify(over(unsent() ?? {}, changed)));
  sendSoon();
}

/** Of what is kept by collection, the collections that change: other pages and machines may have changed the others. */
function withoutKnown({ widths, columns, views, ...others }: Partial<Preferences>): Partial<Preferences> {
  return {
    ...others,
    ...(widths && { widths: newEntries(widths, current.widths) }),
    ...(columns && { columns: newEntries(columns, current.columns) }),
    ...(views && { views: newEntries(views, current.views) }),
  };
}

function newEntries<Entry>(now: Readonly<Record<string, Entry>>, before: Readonly<Record<string, Entry>>) {
  return Object.fromEntries(Object.entries(now).filter(([name, entry]) => own(before, name) !== entry));
}

function over<Below extends Partial<Preferences>>(below: Below, above: Partial<Preferences>): Below {
  const { widths, columns, views } = above;
  return {
    ...below,
    ...above,
    ...(widths && { widths: { ...below.widths, ...widths } }),
    ...(columns && { columns: { ...below.columns, ...columns } }),
    ...(views && { views: { ...below.views, ...views } }),
  };
}

function unsent(): Partial<Preferences> | undefined {
  const kept = localStorage.getItem(placeOfUnsent);
  return kept === null ? undefined : (JSON.parse(kept) as Partial<Preferences>);
}

function sendSoon(): void {
  clearTimeout(sending);
  // What is refused stays on this machine, and goes with the next change or the next page.
  sending = setTimeout(() => void sendChange().catch(ignoreRefusal), pauseMs);
}

/** The change goes over what the platform has now, which another machine may have changed. */
async function sendChange(): Promise<void> {
  const sent = localStorage.getItem(placeOfUnsent);
  if (sent === null) return;
  const { approvalMails, ...change } = unsent() ?? {};
  const { revision: base, preferences: kept } = await ask<Answer>(path);
  // A page says nothing about mails where the person did not.
  const said = { console: over(kept.console ?? {}, change), ...(approvalMails === undefined ? {} : { approvalMails }) };
  try {
    await ask(path, { method: 'PATCH', body: { base, preferences: said } });
  } catch (error) {
    if (error instanceof RequestFailed && error.status === 409) return sendChange();
    throw error;
  }
  if (localStorage.getItem(placeOfUnsent) === sent) localStorage.removeItem(placeOfUnsent);
}

/**
 * Take what the person keeps at the platform, so that another machine looks the same. Somebody else’s view looks like one’s own.
 *
 * @param owner the person in their project
 */
export async function fetchPreferences(owner: string): Promise<void> {
  if (impersonationId() !== undefined) return;
  const before = localStorage.getItem(placeOfOwner);
  localStorage.setItem(placeOfOwner, owner);
  if (before !== null && before !== owner) {
    const { theme, density, language, zone } = current;
    current = { ...first, theme, density, language, zone };
    localStorage.removeItem(placeOfUnsent);
    keepHere();
  }
  const answer = await ask<Answer>(path).catch(ignoreRefusal);
  // Without an answer, the page goes on with what this machine knows.
  if (!answer) return;
  const { preferences: kept } = answer;
  const change = unsent();
  if (change) sendSoon();
  if (!kept.console && kept.approvalMails === undefined) return;
  current = over({ ...current, ...kept.console, approvalMails: kept.approvalMails !== false }, change ?? {});
  keepHere();
}

/** What people like is not a reason to stop them. Anything but a refusal is a fault of the page. */
function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RequestFailed)) throw error;
}

interface Answer {
  readonly revision: number;
  readonly preferences: { readonly console?: Partial<Preferences>; readonly approvalMails?: boolean };
}

// Another page of the browser has changed them.
addEventListener('storage', ({ key }) => {
  if (key !== place) return;
  current = read();
  show();
});

function keepHere(): void {
  localStorage.setItem(place, JSON.stringify(current));
  show();
}

function show(): void {
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
