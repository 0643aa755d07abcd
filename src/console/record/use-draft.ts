import { useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { meQuery } from '../model/me.ts';
import { dropDraft, keepDraft, keptDraft } from './drafts.ts';
import { type Draft, emptyDraft } from './form-state.ts';

interface DraftInUse {
  readonly draft: Draft;
  /** Keep another draft from now on. */
  change(draft: Draft): void;
  /** Forget what was typed, here and in the browser. */
  drop(): void;
}

/**
 * A draft that the browser keeps from the first key on, and shows again after a crash. It is that of the person who typed it: whoever
 * signs in after them on the same machine does not see it.
 *
 * @param id the record; `null` for a new one
 */
export function useDraft(environment: string, collection: string, id: string | null): DraftInUse {
  const { data: person } = useSuspenseQuery(meQuery);
  const key = JSON.stringify([person.user.id, person.projectId, environment, collection, id]);
  const [draft, setDraft] = useState(emptyDraft);
  useEffect(() => {
    void keptDraft(key).then((kept) => kept && setDraft(kept));
  }, [key]);
  return {
    draft,
    change(next) {
      setDraft(next);
      void keepDraft(key, next);
    },
    drop() {
      setDraft(emptyDraft);
      void dropDraft(key);
    },
  };
}

/** The first field that the server or the form refused gets the focus. */
export function focusFirstProblem(isSaved: boolean): void {
  if (isSaved) return;
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
