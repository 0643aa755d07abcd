import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../design/controls.tsx';
import type { ListState } from '../grid/list-state.ts';
import { useMessages } from '../messages/index.ts';
import { usePreferences } from '../model/preferences.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { teamViewsQuery } from '../model/team-views.ts';
import { own } from '../wire/own.ts';
import { ViewDialog } from './view-dialog.tsx';
import { allViews, arrangementOf, differs, takeWidths, type View } from './views.ts';

interface ViewTabsProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
}

/** A list without views gets its first one. */
export function FirstView({
  environment,
  collection,
  state,
  onClose,
}: ViewTabsProps & { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const now = arrangementOf(state, collection);
  const open = (view: string | undefined) =>
    void navigate({
      to: '/$environment/data/$collection',
      params: { environment, collection: collection.name },
      search: { ...now.state, ...(view === undefined ? {} : { view }) },
    });
  return (
    <ViewDialog
      collection={collection.name}
      now={now}
      active={undefined}
      isChanged={false}
      onOpen={open}
      onReset={() => undefined}
      onClose={onClose}
    />
  );
}

/** The saved views of a list. One that was changed says so; the changes are in the address until somebody saves them. */
export function ViewTabs({ environment, collection, state }: ViewTabsProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const { views: mine } = usePreferences();
  const { data } = useQuery(teamViewsQuery(collection.name));
  const [isOpen, setOpen] = useState(false);
  const views = allViews(own(mine, collection.name) ?? [], data?.views ?? []);
  const now = arrangementOf(state, collection);
  const active = views.find(({ id }) => id === state.view);
  const isChanged = active !== undefined && differs(now, active.arrangement);
  const goTo = (search: ListState) =>
    void navigate({
      to: '/$environment/data/$collection',
      params: { environment, collection: collection.name },
      search,
    });
  const open = ({ id, arrangement }: View) => {
    takeWidths(collection.name, arrangement);
    goTo({ ...arrangement.state, view: id });
  };
  return (
    <>
      {views.map((view) => {
        const isMarked = view === active && isChanged;
        return (
          <Button
            key={view.id}
            look="quiet"
            aria-pressed={view === active}
            title={view.shared ? messages.viewOf(view.shared.owner.name) : messages.ownView}
            aria-label={isMarked ? messages.viewChanged(view.name) : undefined}
            onClick={() => open(view)}
          >
            <bdi>{view.name}</bdi>
            {isMarked && ' *'}
          </Button>
        );
      })}
      <Button look="quiet" data-key="v" onClick={() => setOpen(true)}>
        {isChanged ? messages.saveView : messages.view}
      </Button>
      {isOpen && (
        <ViewDialog
          collection={collection.name}
          now={now}
          active={active}
          isChanged={isChanged}
          onOpen={(view) => goTo({ ...now.state, ...(view === undefined ? {} : { view }) })}
          onReset={open}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
