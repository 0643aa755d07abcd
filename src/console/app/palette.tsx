import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { VisibleSchema } from '#contracts/visible-schema';
import { Dialog, Input } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayManagePeople, mayReadHostLog, mayReadLog, mayReadProject, mayReadRights, meQuery } from '../model/me.ts';
import { impersonationId } from '../wire/session.ts';
import { bestMatches } from './best-matches.ts';
import styles from './shell.module.css';

interface PaletteProps {
  readonly environment: string;
  readonly schema: VisibleSchema;
  readonly onClose: () => void;
}

interface Place {
  readonly name: string;
  readonly go: () => void;
}

/** Everything one can go to, found by a few letters. */
export function Palette({ environment, schema, onClose }: PaletteProps) {
  const messages = useMessages();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const found = bestMatches(usePlaces({ environment, schema }), text);
  // Newer browsers answer with a promise, which no effect may return.
  useEffect(() => void document.getElementById(`palette-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);
  const choose = (place: Place | undefined) => {
    onClose();
    place?.go();
  };
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive(Math.min(active + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(active - 1, 0));
    else if (event.key === 'Enter') choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={messages.palette} isUnsaved={false} onClose={onClose}>
      <Input
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette"
        aria-activedescendant={found[active] ? `palette-${active}` : undefined}
        aria-label={messages.paletteHelp}
        placeholder={messages.paletteHelp}
        value={text}
        onKeyDown={hear}
        onChange={({ target }) => {
          setText(target.value);
          setActive(0);
          document.getElementById('palette')?.scrollTo(0, 0);
        }}
      />
      <div role="listbox" id="palette" aria-label={messages.palette} tabIndex={-1} className={styles['places']}>
        {found.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input hears the keys
          <div
            key={place.name}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            aria-current={index === active ? 'page' : undefined}
            className={styles['link']}
            onClick={() => choose(place)}
          >
            <bdi>{place.name}</bdi>
          </div>
        ))}
      </div>
      {found.length === 0 && <p>{messages.noMatch}</p>}
    </Dialog>
  );
}

function usePlaces({ environment, schema }: Pick<PaletteProps, 'environment' | 'schema'>): readonly Place[] {
  const navigate = useNavigate();
  const screens = useScreens(environment);
  return [
    ...schema.collections.map(({ name }) => ({
      name,
      go: () => void navigate({ to: '/$environment/data/$collection', params: { environment, collection: name } }),
    })),
    ...schema.dashboards.map(({ name, title }) => ({
      name: title,
      go: () => void navigate({ to: '/$environment/dashboards/$dashboard', params: { environment, dashboard: name } }),
    })),
    ...screens,
  ];
}

/** The screens that the person may open, also those that the bar leaves out while they are empty. */
function useScreens(environment: string): readonly Place[] {
  const messages = useMessages();
  const navigate = useNavigate();
  const { data: person } = useQuery(meQuery);
  return [
    {
      name: messages.chartsAndDashboards,
      go: () => void navigate({ to: '/$environment/charts', params: { environment } }),
    },
    {
      name: messages.approvals,
      go: () => void navigate({ to: '/$environment/approvals', params: { environment } }),
    },
    ...(person && mayManagePeople(person)
      ? [
          {
            name: messages.screens.people,
            go: () => void navigate({ to: '/$environment/people', params: { environment } }),
          },
        ]
      : []),
    ...(person && mayReadRights(person)
      ? [
          {
            name: messages.screens.rights,
            go: () => void navigate({ to: '/$environment/rights', params: { environment } }),
          },
        ]
      : []),
    ...(person && mayReadProject(person)
      ? [
          {
            name: messages.screens.deliveries,
            go: () =>
              void navigate({
                to: '/$environment/deliveries/$part/{-$version}',
                params: { environment, part: 'versions', version: undefined },
              }),
          },
          {
            name: messages.insights,
            go: () => void navigate({ to: '/$environment/insights', params: { environment } }),
          },
        ]
      : []),
    ...(person && mayReadHostLog(person)
      ? [
          {
            name: messages.screens.checks,
            go: () => void navigate({ to: '/$environment/doctor', params: { environment } }),
          },
        ]
      : []),
    {
      name: messages.screens.inbox,
      go: () => void navigate({ to: '/$environment/inbox', params: { environment } }),
    },
    ...(impersonationId() === undefined
      ? [
          {
            name: messages.access,
            go: () => void navigate({ to: '/$environment/access/{-$part}', params: { environment, part: undefined } }),
          },
        ]
      : []),
    ...(person && mayReadLog(person)
      ? [
          {
            name: messages.screens.log,
            go: () =>
              void navigate({
                to: '/$environment/log/$kind/{-$row}',
                params: { environment, kind: 'activity', row: undefined },
              }),
          },
        ]
      : []),
  ];
}
