import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../design/controls.tsx';
import type { ListState } from '../grid/list-state.ts';
import { useFirstMessages } from '../messages/index.ts';
import { usePreferences } from '../model/preferences.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { own } from '../wire/own.ts';
import { allViews, arrangementOf, differs, takeWidths, teamViewsQuery, type View } from './views.ts';

const ViewDialog = lazy(async () => ({ default: (await import('./view-dialog.tsx')).ViewDialog }));

interface ViewTabsProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
}

/** The saved views of a list. One that was changed says so; the changes stand in the address until somebody saves them. */
export function ViewTabs({ environment, collection, state }: ViewTabsProps) {
  const messages = useFirstMessages();
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
        <Suspense>
          <ViewDialog
            collection={collection.name}
            now={now}
            active={active}
            isChanged={isChanged}
            onOpen={(view) => goTo({ ...now.state, ...(view === undefined ? {} : { view }) })}
            onReset={open}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
