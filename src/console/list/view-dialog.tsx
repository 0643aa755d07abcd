import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TeamView } from '#contracts/preferences';
import { Button, Buttons, Dialog, Failure, Input, look, Notice } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { useOnce } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import { preferences, setPreferences } from '../model/preferences.ts';
import { teamViewsQuery } from '../model/team-views.ts';
import { ask, RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { type Arrangement, allViews, ownId, type View } from './views.ts';

interface ViewDialogProps {
  readonly collection: string;
  readonly now: Arrangement;
  readonly active: View | undefined;
  readonly isChanged: boolean;
  /** Shows the list as this view, or as none. */
  readonly onOpen: (view: string | undefined) => void;
  /** Shows a view as it is kept. */
  readonly onReset: (view: View) => void;
  readonly onClose: () => void;
}

/** Saves the list as a view, for oneself or for the team, and changes the view that is open. */
export function ViewDialog(props: ViewDialogProps) {
  const { collection, now, active, isChanged, onOpen, onReset, onClose } = props;
  const messages = useMessages();
  const client = useQueryClient();
  const [name, setName] = useState(active?.name ?? '');
  const [isShared, setShared] = useState(active?.shared !== undefined);
  const [error, setError] = useState<Error>();
  const wanted = name.trim();
  const isConflict = error instanceof RequestFailed && error.status === 409;
  const mayChange = active !== undefined && (active.shared?.isMine ?? true);

  const attempt = useOnce(async (act: () => Promise<string | undefined>) => {
    try {
      const view = await act();
      await client.invalidateQueries({ queryKey: teamViewsQuery(collection).queryKey });
      onOpen(view);
      onClose();
    } catch (thrown) {
      if (!(thrown instanceof RequestFailed)) throw thrown;
      setError(thrown);
    }
  });
  const content = (arrangement: Arrangement) => ({ name: wanted, collection, document: { ...arrangement } });
  const saveNew = async () => {
    const id = isShared ? String((await shareView(content(now))).id) : keepOwnView(collection, wanted, now);
    toast(messages.saved);
    return id;
  };
  const change = async ({ shared, name: before }: View, arrangement: Arrangement, base = shared?.revision ?? 0) => {
    if (shared) return String((await changeSharedView(shared.id, base, content(arrangement))).id);
    if (before !== wanted) dropOwnView(collection, before);
    return keepOwnView(collection, wanted, arrangement);
  };
  const drop = async ({ shared, name: kept }: View) => {
    if (shared) await dropSharedView(shared.id);
    else dropOwnView(collection, kept);
    toast(messages.deleted);
    return undefined;
  };
  /** What somebody else has saved meanwhile. */
  const newest = async ({ id }: View) => {
    const { views } = await client.fetchQuery({ ...teamViewsQuery(collection), staleTime: 0 });
    return allViews([], views).find((view) => view.id === id);
  };
  const takeTheirs = async (view: View) => {
    const theirs = await newest(view);
    onClose();
    if (theirs) onReset(theirs);
    else onOpen(undefined);
  };
  const keepMine = async (view: View) => change(view, now, (await newest(view))?.shared?.revision);
  return (
    <Dialog title={messages.view} onClose={onClose}>
      {error && !isConflict && <Failure error={error} />}
      {isConflict && active && (
        <Notice kind="warning" title={messages.viewConflict}>
          <div className={look.row}>
            <Button onClick={() => attempt(() => keepMine(active))}>{messages.keepMine}</Button>
            <Button onClick={() => void takeTheirs(active)}>{messages.takeTheirs}</Button>
          </div>
        </Notice>
      )}
      <label htmlFor="view-name">{messages.name}</label>
      <Input id="view-name" autoFocus value={name} maxLength={100} onChange={({ target }) => setName(target.value)} />
      <label>
        <input type="checkbox" checked={isShared} onChange={({ target }) => setShared(target.checked)} />{' '}
        {messages.shareWithTeam}
      </label>
      <Buttons>
        <Button onClick={onClose}>{messages.cancel}</Button>
        {active && mayChange && (
          <>
            <Button look="danger" onClick={() => attempt(() => drop(active))}>
              {messages.delete}
            </Button>
            <Button
              disabled={wanted === '' || wanted === active.name}
              onClick={() => attempt(() => change(active, active.arrangement))}
            >
              {messages.rename}
            </Button>
          </>
        )}
        <Button
          {...(active ? {} : { look: 'primary' as const })}
          disabled={wanted === ''}
          onClick={() => attempt(saveNew)}
        >
          {messages.saveNewView}
        </Button>
        {active && mayChange && (
          <Button
            look="primary"
            disabled={wanted === '' || !isChanged}
            onClick={() => attempt(() => change(active, now))}
          >
            {messages.saveView}
          </Button>
        )}
      </Buttons>
    </Dialog>
  );
}

type Content = Pick<TeamView, 'name' | 'collection' | 'document'>;

/** Keeps a view that only the person has; one of the same name gives way. Returns its id. */
function keepOwnView(collection: string, name: string, arrangement: Arrangement): string {
  const { views } = preferences();
  const others = (own(views, collection) ?? []).filter((view) => view.name !== name);
  setPreferences({ views: { ...views, [collection]: [...others, { name, document: { ...arrangement } }] } });
  return ownId(name);
}

function dropOwnView(collection: string, name: string): void {
  const { views } = preferences();
  const others = (own(views, collection) ?? []).filter((view) => view.name !== name);
  setPreferences({ views: { ...views, [collection]: others } });
}

function shareView(content: Content): Promise<TeamView> {
  return ask<TeamView>('/api/views', { method: 'POST', body: content });
}

/** @throws RequestFailed with status 409 where somebody has changed the view since `base` */
function changeSharedView(id: number, base: number, content: Content): Promise<TeamView> {
  return ask<TeamView>(`/api/views/${id}`, { method: 'PUT', body: { base, ...content } });
}

function dropSharedView(id: number): Promise<void> {
  return ask<void>(`/api/views/${id}`, { method: 'DELETE' });
}
