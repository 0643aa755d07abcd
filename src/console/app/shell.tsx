import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react';
import { Button, look, Notice } from '../design/first-controls.tsx';
import { Toasts } from '../design/toasts.tsx';
import { hasUnsaved, isUnsavedElsewhere } from '../design/unsaved.ts';
import { useNarrow } from '../design/use-narrow.ts';
import { useFirstMessages } from '../messages/index.ts';
import { meQuery } from '../model/me.ts';
import { fetchPreferences, preferences } from '../model/preferences.ts';
import { noSchema, schemaQuery } from '../model/schema.ts';
import { send } from '../wire/http.ts';
import { impersonationId, leaveEveryPage, onSession, signInBeside } from '../wire/session.ts';
import { LiveCode } from './live-code.tsx';
import { NavigationList } from './navigation-list.tsx';
import styles from './shell.module.css';

const Impersonation = lazy(async () => ({ default: (await import('./impersonation.tsx')).Impersonation }));
const Settings = lazy(async () => ({ default: (await import('./settings.tsx')).Settings }));
const CopyDialog = lazy(async () => ({ default: (await import('./copy-dialog.tsx')).CopyDialog }));
const LogPanel = lazy(async () => ({ default: (await import('./log-panel.tsx')).LogPanel }));
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The frame of every screen: where one can go, and what concerns all of it. */
export function Shell() {
  const messages = useFirstMessages();
  const { environment } = useParams({ from: '/$environment' });
  const { data: schema = noSchema } = useQuery(schemaQuery({ environment }));
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isSettingsOpen, setSettingsOpen] = useState(false);
  const [isCopyOpen, setCopyOpen] = useState(false);
  const [isBarOpen, setBarOpen] = useState(false);
  const isNarrow = useNarrow();
  const barId = useId();
  const navigate = useNavigate();
  useKeptPreferences();
  useKeys({
    'Ctrl k': () => setPaletteOpen(true),
    'g d': () => void navigate({ to: '/$environment', params: { environment } }),
    'g c': () => void navigate({ to: '/$environment/charts', params: { environment } }),
    'g p': () => void navigate({ to: '/$environment/people', params: { environment } }),
    'g r': () => void navigate({ to: '/$environment/rights', params: { environment } }),
    'g t': () => void navigate({ to: '/$environment/access/{-$part}', params: { environment, part: undefined } }),
    'g x': () => void navigate({ to: '/$environment/doctor', params: { environment } }),
    'g n': () => void navigate({ to: '/$environment/inbox', params: { environment } }),
    'g a': () => void navigate({ to: '/$environment/approvals', params: { environment } }),
    'g i': () => void navigate({ to: '/$environment/insights', params: { environment } }),
    'g v': () =>
      void navigate({
        to: '/$environment/deliveries/$part/{-$version}',
        params: { environment, part: 'versions', version: undefined },
      }),
    'g l': () =>
      void navigate({
        to: '/$environment/log/$kind/{-$row}',
        params: { environment, kind: 'activity', row: undefined },
      }),
  });
  return (
    <div className={styles['shell']} data-impersonated={impersonationId() === undefined ? undefined : ''}>
      <a href="#content" className={styles['skip']}>
        {messages.skipToContent}
      </a>
      {impersonationId() !== undefined && (
        <Suspense>
          <Impersonation environment={environment} />
        </Suspense>
      )}
      <header className={styles['top']}>
        <Button
          look="quiet"
          className={`${look.button} ${styles['menu']}`}
          aria-expanded={isBarOpen}
          aria-label={messages.data}
          popoverTarget={barId}
        >
          ☰
        </Button>
        <Project />
        <Button look="quiet" onClick={() => setPaletteOpen(true)}>
          {messages.palette} <kbd className={look.small}>Ctrl K</kbd>
        </Button>
        <span className={styles['space']} />
        <Button
          look="quiet"
          data-key="y"
          className={`${look.button} ${styles['copy']}`}
          onClick={() => setCopyOpen(true)}
        >
          {messages.copyAs}
        </Button>
        <LogButton />
        <Button look="quiet" data-key="?" aria-label={messages.settings} onClick={() => setSettingsOpen(true)}>
          <span className={styles['wide']}>{messages.settings}</span>
          <span className={styles['narrow']} aria-hidden="true">
            ⚙
          </span>
        </Button>
        <SignedIn />
      </header>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key that follows a link clicks it. As a popover, Tab leads into it from its button, Escape closes it, and the focus goes back. */}
      <nav
        id={barId}
        className={styles['bar']}
        aria-label={messages.data}
        popover={isNarrow ? 'auto' : undefined}
        onToggle={({ newState }) => setBarOpen(newState === 'open')}
        onClick={({ currentTarget }) => isNarrow && currentTarget.hidePopover()}
      >
        <NavigationList environment={environment} schema={schema} />
      </nav>
      <main className={styles['content']} id="content" tabIndex={-1}>
        <SessionNotice />
        <LiveCode environment={environment} />
        <Outlet />
      </main>
      <Toasts />
      {isSettingsOpen && (
        <Suspense>
          <Settings onClose={() => setSettingsOpen(false)} />
        </Suspense>
      )}
      {isCopyOpen && (
        <Suspense>
          <CopyDialog onClose={() => setCopyOpen(false)} />
        </Suspense>
      )}
      {isPaletteOpen && (
        <Suspense>
          <Palette environment={environment} schema={schema} onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** The page looks as the person has it on every machine. */
function useKeptPreferences(): void {
  const { data: person } = useSuspenseQuery(meQuery);
  const owner = `${person.user.id} ${person.projectId}`;
  useEffect(() => void fetchPreferences(owner), [owner]);
}

/** The project, and its environments to change between. */
function Project() {
  const messages = useFirstMessages();
  const navigate = useNavigate();
  const { environment } = useParams({ from: '/$environment' });
  const { data: person } = useSuspenseQuery(meQuery);
  // The one that is shown is in the choice, with an agent or without one.
  const offered = person.environments.filter(({ name, agent }) => agent !== null || name === environment);
  return (
    <span className={styles['project']}>
      <Link to="/$environment" params={{ environment }}>
        {person.project}
      </Link>
      {offered.length > 1 ? (
        <select
          className={`${look.input} ${styles['environment']}`}
          aria-label={messages.environment}
          value={environment}
          onChange={({ target }) => void navigate({ to: '/$environment', params: { environment: target.value } })}
        >
          {offered.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      ) : (
        <span title={messages.environment} className={`${look.small} ${styles['environment']}`}>
          <bdi>{environment}</bdi>
        </span>
      )}
    </span>
  );
}

/** What the agent logs, for those who develop it. */
function LogButton() {
  const messages = useFirstMessages();
  const { environment } = useParams({ from: '/$environment' });
  const { data: person } = useSuspenseQuery(meQuery);
  const [isOpen, setOpen] = useState(false);
  const isDeveloped = person.environments.some(({ name, type }) => name === environment && type === 'development');
  if (!isDeveloped || !person.deeds.includes('read logs')) return null;
  return (
    <>
      <Button look="quiet" data-key="l" className={`${look.button} ${styles['copy']}`} onClick={() => setOpen(true)}>
        {messages.log}
      </Button>
      {isOpen && (
        <Suspense>
          <LogPanel onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function SignedIn() {
  const messages = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || person.impersonation) return null;
  /** Every page of the browser goes, with what was typed there. */
  const leave = async () => {
    const question = hasUnsaved()
      ? messages.signOutUnsaved
      : (await isUnsavedElsewhere())
        ? messages.signOutUnsavedElsewhere
        : undefined;
    if (question === undefined || confirm(question)) await signOut();
  };
  return (
    <span className={styles['person']}>
      <span title={person.user.email}>{person.user.name}</span>
      <Button look="quiet" onClick={() => void leave()}>
        {messages.signOut}
      </Button>
    </span>
  );
}

/** Nothing that somebody typed stays behind on the machine. */
async function signOut(): Promise<void> {
  const { dropAllDrafts } = await import('../record/drafts.ts');
  await dropAllDrafts();
  await send('/console/sign-out', { method: 'POST' });
  leaveEveryPage();
}

/** The session has ended, and something waits for the next one. */
function SessionNotice() {
  const messages = useFirstMessages();
  const [isOver, setOver] = useState(false);
  useEffect(() => onSession(setOver), []);
  if (!isOver) return null;
  return (
    <Notice kind="warning" title={messages.sessionOver}>
      <p>{messages.sessionOverWhy}</p>
      <div>
        <Button look="primary" onClick={signInBeside}>
          {messages.signIn}
        </Button>
      </div>
    </Notice>
  );
}

/** What a key does: `Ctrl k` for one with Ctrl, or Command on machines of Apple, and `g d` for two keys after each other. */
type Shortcuts = Readonly<Record<string, () => void>>;

/** How long a `g` waits for the letter after it. */
const pauseMs = 1_000;

/**
 * Hear the keys of the whole page. A single letter presses the button, or enters the field, that has it as its `data-key`. Single letters
 * never work while somebody types, and can be turned off.
 */
function useKeys(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    let lastG = Number.NEGATIVE_INFINITY;
    const hear = (event: KeyboardEvent) => {
      const act = actOf(event, newest.current, lastG);
      lastG = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}

function actOf(event: KeyboardEvent, shortcuts: Shortcuts, lastG: number): (() => void) | undefined {
  const { key, ctrlKey, metaKey, altKey, timeStamp, target } = event;
  // Behind an open dialog nothing is pressed, and the page goes nowhere.
  if (document.querySelector('dialog[open]')) return undefined;
  if (ctrlKey || metaKey) return shortcuts[`Ctrl ${key}`];
  if (altKey || !preferences().singleKeys || isTyping(target)) return undefined;
  const second = timeStamp - lastG < pauseMs ? shortcuts[`g ${key}`] : undefined;
  return second ?? pressed(key);
}

/** What has the key as its own. */
function pressed(key: string): (() => void) | undefined {
  const target = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (!target) return undefined;
  return () => (target.matches('input') ? target.focus() : target.click());
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable="true"]')
  );
}
