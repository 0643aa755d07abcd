import { useEffect, useState } from 'react';
import { keepDraft, keptDraft } from './drafts.ts';
import { type Draft, emptyDraft } from './form-state.ts';

/** A draft that the browser keeps from the first key on, and offers again after a crash. */
export function useDraft(key: string): readonly [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(emptyDraft);
  useEffect(() => {
    void keptDraft(key).then((kept) => kept && setDraft(kept));
  }, [key]);
  const change = (next: Draft) => {
    setDraft(next);
    void keepDraft(key, next);
  };
  return [draft, change];
}

/** The first field that the server or the form refused gets the focus. */
export function focusFirstProblem(isSaved: boolean): void {
  if (isSaved) return;
  requestAnimationFrame(() => document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}
