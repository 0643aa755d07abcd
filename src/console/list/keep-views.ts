import type { TeamView } from '#contracts/preferences';
import { preferences, setPreferences } from '../model/preferences.ts';
import { ask } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { type Arrangement, ownId } from './views.ts';

type Content = Pick<TeamView, 'name' | 'collection' | 'document'>;

/** Keeps a view that only the person has; one of the same name gives way. Returns its id. */
export function keepOwnView(collection: string, name: string, arrangement: Arrangement): string {
  const { views } = preferences();
  const others = (own(views, collection) ?? []).filter((view) => view.name !== name);
  setPreferences({ views: { ...views, [collection]: [...others, { name, document: { ...arrangement } }] } });
  return ownId(name);
}

export function dropOwnView(collection: string, name: string): void {
  const { views } = preferences();
  const others = (own(views, collection) ?? []).filter((view) => view.name !== name);
  setPreferences({ views: { ...views, [collection]: others } });
}

export function shareView(content: Content): Promise<TeamView> {
  return ask<TeamView>('/api/views', { method: 'POST', body: content });
}

/** @throws RequestFailed with status 409 where somebody has changed the view since `base` */
export function changeSharedView(id: number, base: number, content: Content): Promise<TeamView> {
  return ask<TeamView>(`/api/views/${id}`, { method: 'PUT', body: { base, ...content } });
}

export function dropSharedView(id: number): Promise<void> {
  return ask<void>(`/api/views/${id}`, { method: 'DELETE' });
}
