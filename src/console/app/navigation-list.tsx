import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { type CSSProperties, lazy, Suspense, useEffect, useRef, useState } from 'react';
import type { VisibleSchema } from '#contracts/visible-schema';
import { Input, look } from '../design/first-controls.tsx';
import { useFirstMessages } from '../messages/index.ts';
import { inboxQuery } from '../model/inbox.ts';
import { approvalsQuery, newAnswers } from '../model/known-approvals.ts';
import {
  mayManagePeople,
  mayReadHostLog,
  mayReadLog,
  mayReadProject,
  mayReadRights,
  maySetRights,
  meQuery,
} from '../model/me.ts';
import { usePreferences } from '../model/preferences.ts';
import { listedChartsQuery } from '../model/schema.ts';
import { impersonationId } from '../wire/session.ts';
import styles from './shell.module.css';

/** Longer lists only have what is in sight in the page. */
const longestPlainList = 100;

/** Whoever goes on by Tab passes as many without a word. */
const fewNames = 12;

/** How many entries a list has, for its least height. */
function sizeOf({ length }: readonly unknown[]): CSSProperties {
  return { '--names': length } as CSSProperties;
}

const LongList = lazy(async () => ({ default: (await import('./long-list.tsx')).LongList }));

interface NavigationListProps {
  readonly environment: string;
  readonly schema: VisibleSchema;
}

/** The collections, which a few letters narrow down. */
export function NavigationList({ environment, schema }: NavigationListProps) {
  const messages = useFirstMessages();
  const [wanted, setWanted] = useState('');
  const screens = useRef<HTMLDivElement>(null);
  const place = useLocation({ select: ({ pathname }) => pathname });
  const { collection: current } = useParams({ strict: false });
  const isKnown = schema.collections.length > 0;
  const isNarrowed = wanted !== '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place has another link that is the current one
  useEffect(() => {
    // What is open may be below many others.
    if (isKnown && !isNarrowed)
      screens.current?.parentElement?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [place, isKnown, isNarrowed]);
  const names = schema.collections
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <Input
        type="search"
        aria-label={messages.findCollection}
        placeholder={messages.findCollection}
        value={wanted}
        onClick={(event) => event.stopPropagation()}
        onChange={({ target }) => setWanted(target.value)}
      />
      {names.length > fewNames && (
        <button
          type="button"
          className={`${look.button} ${styles['pass']}`}
          onClick={(event) => {
            event.stopPropagation();
            screens.current?.focus();
          }}
        >
          {messages.skipNames}
        </button>
      )}
      {/* What a few letters leave begins at its top. */}
      {names.length > longestPlainList ? (
        <Suspense>
          <LongList key={wanted} names={names} current={isNarrowed ? undefined : current}>
            {(name) => <CollectionLink environment={environment} name={name} />}
          </LongList>
        </Suspense>
      ) : (
        <ul key={wanted} className={`${styles['list']} ${styles['names']}`} style={sizeOf(names)}>
          {names.map((name) => (
            <li key={name}>
              <CollectionLink environment={environment} name={name} />
            </li>
          ))}
        </ul>
      )}
      {schema.dashboards.length > 0 && (
        <ul
          aria-label={messages.dashboards}
          className={`${styles['list']} ${styles['names']}`}
          style={sizeOf(schema.dashboards)}
        >
          {schema.dashboards.map(({ name, title }) => (
            <li key={name}>
              <Link
                to="/$environment/dashboards/$dashboard"
                params={{ environment, dashboard: name }}
                className={styles['link']}
              >
                <bdi>{title}</bdi>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div ref={screens} className={styles['list']} tabIndex={-1}>
        <ChartsLink environment={environment} schema={schema} />
        <InboxLink environment={environment} />
        <ApprovalsLink environment={environment} />
        <PeopleLink environment={environment} />
        <RightsLink environment={environment} />
        <DeliveriesLink environment={environment} />
        <InsightsLink environment={environment} />
        {impersonationId() === undefined && (
          <Link to="/$environment/access/{-$part}" params={{ environment, part: undefined }} className={styles['link']}>
            {messages.access}
          </Link>
        )}
        <LogLink environment={environment} />
        <ChecksLink environment={environment} />
      </div>
    </>
  );
}

/** The charts, where there are some or the person may add one. */
function ChartsLink({ environment, schema }: NavigationListProps) {
  const { charts } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  const mayAdd = person !== undefined && maySetRights(person);
  const isListed = schema.charts.length > 0 || mayAdd;
  const { data: listed } = useQuery({
    ...listedChartsQuery({ environment }),
    enabled: person !== undefined && !isListed,
  });
  if (!isListed && !listed?.charts.length) return null;
  return (
    <Link to="/$environment/charts" params={{ environment }} className={styles['link']}>
      {charts}
    </Link>
  );
}

/** Notes that concern the person, and how many of them have news. */
function InboxLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: notes = [] } = useQuery(inboxQuery({ environment }));
  const waiting = notes.filter(({ unread }) => unread > 0).length;
  return (
    <Link to="/$environment/inbox" params={{ environment }} className={styles['link']}>
      {screens.inbox}{' '}
      {waiting > 0 && (
        <span className={styles['count']} title={screens.notesWaiting(waiting)}>
          {waiting}
        </span>
      )}
    </Link>
  );
}

/** The requests for approvals, and how many of them wait for the person or were answered. Where there never was one, it is left out. */
function ApprovalsLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const messages = useFirstMessages();
  const { data: approvals = [] } = useQuery(approvalsQuery({ environment }));
  const { answersSeenAt } = usePreferences();
  if (approvals.length === 0) return null;
  const waiting = approvals.filter(({ mayDecide }) => mayDecide).length;
  const answered = newAnswers(approvals, answersSeenAt).length;
  const said = [
    ...(waiting > 0 ? [messages.approvalsWaiting(String(waiting))] : []),
    ...(answered > 0 ? [messages.approvalsAnswered(String(answered))] : []),
  ];
  return (
    <Link to="/$environment/approvals" params={{ environment }} className={styles['link']}>
      {messages.approvals}{' '}
      {said.length > 0 && (
        <span className={styles['count']} title={said.join(', ')}>
          {waiting + answered}
        </span>
      )}
    </Link>
  );
}

/** Who works on the project, for those who manage them. */
function PeopleLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayManagePeople(person)) return null;
  return (
    <Link to="/$environment/people" params={{ environment }} className={styles['link']}>
      {screens.people}
    </Link>
  );
}

/** What stands in the way, for those who may do something about it. */
function ChecksLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadHostLog(person)) return null;
  return (
    <Link to="/$environment/doctor" params={{ environment }} className={styles['link']}>
      {screens.checks}
    </Link>
  );
}

/** Who may do what, for those who may know it. */
function RightsLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadRights(person)) return null;
  return (
    <Link to="/$environment/rights" params={{ environment }} className={styles['link']}>
      {screens.rights}
    </Link>
  );
}

/** What is deployed, for those who may see it. */
function DeliveriesLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadProject(person)) return null;
  return (
    <Link
      to="/$environment/deliveries/$part/{-$version}"
      params={{ environment, part: 'versions', version: undefined }}
      className={styles['link']}
      activeOptions={{ includeSearch: false }}
    >
      {screens.deliveries}
    </Link>
  );
}

/** What the agent has noticed of its own work, for those who may see what is deployed. */
function InsightsLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { insights } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadProject(person)) return null;
  return (
    <Link to="/$environment/insights" params={{ environment }} className={styles['link']}>
      {insights}
    </Link>
  );
}

/** The audit log, for those who may read it. */
function LogLink({ environment }: Pick<NavigationListProps, 'environment'>) {
  const { screens } = useFirstMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadLog(person)) return null;
  return (
    <Link
      to="/$environment/log/$kind/{-$row}"
      params={{ environment, kind: 'activity', row: undefined }}
      className={styles['link']}
      activeOptions={{ includeSearch: false }}
    >
      {screens.log}
    </Link>
  );
}

function CollectionLink({ environment, name }: { readonly environment: string; readonly name: string }) {
  return (
    <Link
      to="/$environment/data/$collection"
      params={{ environment, collection: name }}
      className={styles['link']}
      activeOptions={{ includeSearch: false }}
      title={name}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}
